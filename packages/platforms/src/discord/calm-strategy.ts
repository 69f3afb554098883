/** Keeps faults of discord.js's connection from ending the process, and ended connections from coming back. */
import { SimpleShardingStrategy, type IShardingStrategy, type WebSocketOptions } from 'discord.js';

type ShardManager = Parameters<NonNullable<WebSocketOptions['buildStrategy']>>[0];

export interface Calm {
  /** Gets what would have been an unhandled rejection. */
  onFault: (thrown: unknown) => void;
  /** True once the connection is to stay closed. */
  isOver: () => boolean;
}

/** Methods that the library starts without waiting, so that what they throw has no other way out. */
const unwatched = ['internalConnect', 'onMessage', 'onClose', 'heartbeat', 'destroy'] as const;

type Unwatched = Record<(typeof unwatched)[number], (...details: unknown[]) => Promise<unknown>>;

/** For `ws.buildStrategy` of a client: the usual strategy, its shards calmed. */
export function calmStrategy(manager: ShardManager, calm: Calm): IShardingStrategy {
  const readSession = manager.options.retrieveSessionInfo;
  // A shard that was waiting to reconnect when it was destroyed asks for its session next. Without an answer it stays
  // where it is; with one it would open a second connection that nobody closes.
  manager.options.retrieveSessionInfo = (shardId) =>
    calm.isOver() ? new Promise(() => {}) : readSession(shardId);
  const strategy = new SimpleShardingStrategy(manager);
  const spawn = strategy.spawn.bind(strategy);
  strategy.spawn = async (shardIds) => {
    await spawn(shardIds);
    const { shards } = strategy as unknown as { shards: ReadonlyMap<number, Unwatched> };
    for (const shard of shards.values()) calmShard(shard, calm);
  };
  return strategy;
}

function calmShard(shard: Unwatched, calm: Calm): void {
  for (const name of unwatched) {
    const original = shard[name].bind(shard);
    Object.defineProperty(shard, name, {
      value: (...details: unknown[]) => original(...details).catch((thrown: unknown) => calm.onFault(thrown)),
    });
  }
}
