import { randomUUID } from 'node:crypto';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { silentLogger } from '@palimpsest/core';
import type { Queue } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, test, vi } from 'vitest';

import { queueContract, recorder } from './queue-contract.ts';
import type { QueueWorld } from './queue-contract.ts';

const redisUrl = 'redis://127.0.0.1:6379';
const databaseUrl = 'postgres://postgres@127.0.0.1:5432/postgres';

vi.setConfig({ testTimeout: 30_000 });

queueContract('redis', redisWorld);
queueContract('postgres', postgresWorld);

test('producers fail fast while Redis is away and recover by themselves', async () => {
  await using proxy = await openProxy(6379);
  const queue = await createQueue({ redisUrl: `redis://127.0.0.1:${proxy.port}`, databaseUrl, logger: silentLogger, prefix: freshName() });
  const runs = recorder();
  await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
  await queue.wake('before');
  await runs.reach(1);

  proxy.cut();
  const startedAt = performance.now();
  await expect(queue.wake('during')).rejects.toMatchObject({ code: 'queue_unavailable' });
  await expect(queue.ping()).rejects.toMatchObject({ code: 'queue_unavailable' });
  expect(performance.now() - startedAt).toBeLessThan(4500);

  proxy.heal();
  await untilItWorks(() => queue.wake('after'));
  await runs.reach(2);
  expect(runs.seen).toEqual(['before', 'after']);
  await queue.close();
});

test('a queue opened while Redis is away works once Redis is there', async () => {
  await using proxy = await openProxy(6379);
  proxy.cut();
  const queue = await createQueue({ redisUrl: `redis://127.0.0.1:${proxy.port}`, databaseUrl, logger: silentLogger, prefix: freshName() });
  const runs = recorder();
  await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
  await expect(queue.wake('a')).rejects.toMatchObject({ code: 'queue_unavailable' });

  proxy.heal();
  await untilItWorks(() => queue.wake('a'));
  await runs.reach(1);

  expect(runs.seen).toEqual(['a']);
  await queue.close();
});

test('producers fail fast while Postgres is away and recover by themselves', async () => {
  await using proxy = await openProxy(5432);
  const prefix = freshName();
  const queue = await createQueue({
    databaseUrl: `postgres://postgres@127.0.0.1:${proxy.port}/postgres`,
    logger: silentLogger,
    prefix,
  });
  const runs = recorder();
  await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
  await queue.wake('before');
  await runs.reach(1);

  proxy.cut();
  await expect(queue.wake('during')).rejects.toMatchObject({ code: 'queue_unavailable' });

  proxy.heal();
  await untilItWorks(() => queue.wake('after'));
  await runs.reach(2);
  expect(runs.seen).toEqual(['before', 'after']);
  await queue.close();
  await dropSchema(prefix);
});

test('a server that accepts and never answers makes ping fail within two seconds', async () => {
  await using proxy = await openProxy(null);

  const queue = await createQueue({ redisUrl: `redis://127.0.0.1:${proxy.port}`, databaseUrl, logger: silentLogger, prefix: freshName() });
  const startedAt = performance.now();
  await expect(queue.ping()).rejects.toMatchObject({ code: 'queue_unavailable' });

  expect(performance.now() - startedAt).toBeLessThan(2500);
  await queue.close();
});

function freshName(): string {
  return `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

async function redisWorld(): Promise<QueueWorld> {
  const prefix = freshName();
  const redis = new Redis(redisUrl);
  const queues: Queue[] = [];
  const keys = (pattern: string): Promise<string[]> => redis.keys(`${prefix}:${pattern}`);
  async function wipe(): Promise<void> {
    const all = await keys('*');
    if (all.length > 0) await redis.del(all);
  }
  return {
    async open(options = {}) {
      const queue = await createQueue({ redisUrl, databaseUrl, logger: silentLogger, prefix, ...options });
      queues.push(queue);
      return queue;
    },
    wipe,
    async leaveStrayKey(sessionId) {
      const [finished] = await redis.zrevrange(`${prefix}:turns:completed`, 0, 0);
      await redis.set(`${prefix}:turns:de:${await hashOf(sessionId)}`, finished ?? 'none');
    },
    async loseLocks() {
      for (const key of await keys('turns:*:lock')) await redis.set(key, 'another worker');
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((queue) => queue.close()));
      await wipe();
      redis.disconnect();
    },
  };
}

async function postgresWorld(): Promise<QueueWorld> {
  const prefix = freshName();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, options: `-c search_path=${prefix}` });
  const queues: Queue[] = [];
  return {
    async open(options = {}) {
      const queue = await createQueue({ databaseUrl, logger: silentLogger, prefix, ...options });
      queues.push(queue);
      return queue;
    },
    async wipe() {
      await pool.query('DELETE FROM job; DELETE FROM dedup; DELETE FROM dedup_next');
    },
    async leaveStrayKey(sessionId) {
      const finished = await pool.query<{ id: string }>(`SELECT id FROM job WHERE queue = 'turns' AND state = 'completed' LIMIT 1`);
      await pool.query(`INSERT INTO dedup (queue, dedup_id, job_id) VALUES ('turns', $1, $2)`, [
        await hashOf(sessionId),
        finished.rows[0]?.id,
      ]);
    },
    async loseLocks() {
      await pool.query(`UPDATE job SET lock_token = 'another worker' WHERE state = 'active'`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((queue) => queue.close()));
      await pool.end();
      await dropSchema(prefix);
    },
  };
}

async function dropSchema(schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await client.end();
}

/** sha256 of the session id, first 32 hex digits: what the queue uses as deduplication id. */
async function hashOf(sessionId: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(sessionId));
  return Buffer.from(digest).toString('hex').slice(0, 32);
}

/** Attempts until the server is back; fails with the last error. */
function untilItWorks(attempt: () => Promise<void>): Promise<void> {
  return vi.waitFor(attempt, { timeout: 10_000, interval: 50 });
}

/** A loopback door to a server that can be shut: connections break and new ones are refused. `null`: it never answers. */
async function openProxy(targetPort: number | null): Promise<{ port: number; cut(): void; heal(): void } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((socket) => {
    if (!open) return void socket.destroy();
    keep(socket);
    if (targetPort === null) return;
    const target = keep(connect(targetPort, '127.0.0.1'));
    socket.pipe(target).pipe(socket);
    socket.on('close', () => target.destroy());
    target.on('close', () => socket.destroy());
  });
  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      open = false;
      for (const socket of sockets) socket.destroy();
    },
    heal() {
      open = true;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
