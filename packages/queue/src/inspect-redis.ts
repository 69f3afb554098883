import { Redis } from 'ioredis';

/** Settings of a Redis that decide whether jobs are safe in it. */
export interface RedisSettings {
  version: string;
  /** `noeviction`, or what is thrown away when memory is full. */
  evictionPolicy: string;
  appendOnly: boolean;
  /** Snapshots are made: some time ago there was one, or a rule for them is set. null: it would not tell. */
  snapshots: boolean | null;
  clients: number;
  mostClients: number | null;
}

const waitMs = 3_000;

/**
 * Ask a Redis for its settings, as far as it tells them: hosted ones refuse CONFIG, so that INFO must do.
 * throws what ioredis throws when it does not answer
 */
export async function inspectRedis(url: string): Promise<RedisSettings> {
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: waitMs,
    commandTimeout: waitMs,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const info = readInfo(await client.info());
    const rules = await client.config('GET', 'save').catch(() => null);
    return {
      version: info.get('redis_version') ?? 'unknown',
      evictionPolicy: info.get('maxmemory_policy') ?? 'unknown',
      appendOnly: info.get('aof_enabled') === '1',
      snapshots: Array.isArray(rules) ? String(rules[1] ?? '') !== '' : null,
      clients: Number(info.get('connected_clients') ?? 0),
      mostClients: Number(info.get('maxclients')) || null,
    };
  } finally {
    client.disconnect();
  }
}

function readInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\r\n').flatMap((line): [string, string][] => {
    const at = line.indexOf(':');
    return at < 1 || line.startsWith('#') ? [] : [[line.slice(0, at), line.slice(at + 1)]];
  });
  return new Map(pairs);
}
