/**
 * Mends four things in the connection of discord.js 14.28 (@discordjs/ws 1.2.3): rejections nobody can catch, sessions
 * thrown away at the first network fault, connections that come back after their end, sockets left open.
 */
import { SimpleShardingStrategy, type IShardingStrategy, type WebSocketOptions } from 'discord.js';

type ShardManager = Parameters<NonNullable<WebSocketOptions['buildStrategy']>>[0];

/** Methods the library starts without waiting, so that what they throw has no other way out. */
const unwatched = ['internalConnect', 'onMessage', 'onClose', 'heartbeat', 'destroy'] as const;

/** `recover` of the library's `destroy`: identify anew, or resume with close code 4200. */
const reconnect = 0;
const resume = { recover: 1, code: 4200 };

interface DestroyOptions {
  recover?: number;
  code?: number;
}

/** The private side of a shard; the version is pinned, and the tests of the listener fail when it changes. */
type Shard = Record<(typeof unwatched)[number], (...details: unknown[]) => Promise<unknown>> & {
  failedToConnectDueToNetworkError: boolean;
  connection: { on?(event: 'error', listener: () => void): void; terminate?(): void } | null;
};

export class CalmShards {
  readonly #onFault: (thrown: unknown) => void;
  #shards: readonly Shard[] = [];
  #over = false;

  /** `onFault` gets what would have been an unhandled rejection. */
  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  /** For `ws.buildStrategy` of a client: the usual strategy, its shards mended. */
  build(manager: ShardManager): IShardingStrategy {
    const readSession = manager.options.retrieveSessionInfo;
    // A shard that was waiting to reconnect when it was destroyed asks for its session next. Without an answer it
    // stays where it is; with one it would open a second connection that nobody closes.
    manager.options.retrieveSessionInfo = (shardId) =>
      this.#over ? new Promise(() => {}) : readSession(shardId);
    const strategy = new SimpleShardingStrategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (shardIds) => {
      await spawn(shardIds);
      const { shards } = strategy as unknown as { shards: ReadonlyMap<number, Shard> };
      this.#shards = [...shards.values()];
      for (const shard of this.#shards) this.#mend(shard);
    };
    return strategy;
  }

  /** From now on nothing connects again. */
  end(): void {
    this.#over = true;
  }

  /** After the end: the library leaves sockets alone that were just being opened, and those open by themselves. */
  cutSockets(): void {
    for (const { connection } of this.#shards) {
      connection?.on?.('error', () => {});
      connection?.terminate?.();
    }
  }

  #mend(shard: Shard): void {
    keepSession(shard);
    for (const name of unwatched) {
      const original = shard[name].bind(shard);
      Object.defineProperty(shard, name, {
        value: (...details: unknown[]) =>
          original(...details).catch((thrown: unknown) => this.#onFault(thrown)),
      });
    }
  }
}

/**
 * When the network is away the session on Discord's side lives on for minutes, with all that is said meanwhile. The
 * library would identify anew at the first refused connection and lose messages of chats the backfill does not know.
 */
function keepSession(shard: Shard): void {
  const destroy = shard.destroy.bind(shard);
  Object.defineProperty(shard, 'destroy', {
    value: (options: DestroyOptions = {}) => {
      const isNetworkFault = options.recover === reconnect && shard.failedToConnectDueToNetworkError;
      return destroy(isNetworkFault ? { ...options, ...resume } : options);
    },
    configurable: true,
  });
}
