import { randomUUID } from 'node:crypto';

import { silentLogger } from '@palimpsest/core';
import type { Queue } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { openDoor } from '../support/open-door.ts';
import { testRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { deadJobContract } from './dead-job-contract.ts';
import { mediaQueueContract } from './media-queue-contract.ts';
import { queueContract, recorder } from './queue-contract.ts';
import type { QueueWorld } from './queue-contract.ts';

let database: TestDatabase;
let redis: TestRedis;
let databaseUrl: string;
let redisUrl: string;

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase({ migrated: false }), testRedis()]);
  [databaseUrl, redisUrl] = [database.url, redis.url];
});

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

queueContract('redis', redisWorld);
queueContract('postgres', postgresWorld);
deadJobContract('redis', redisWorld);
deadJobContract('postgres', postgresWorld);
mediaQueueContract('redis', redisWorld);
mediaQueueContract('postgres', postgresWorld);

test('producers fail fast while Redis is away and recover by themselves', async () => {
  await using door = await openDoor(redisUrl);
  const queue = await createQueue({
    redisUrl: door.url,
    databaseUrl,
    logger: silentLogger,
    prefix: freshName(),
  });
  const runs = recorder();
  await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
  await queue.wake('before');
  await runs.reach(1);

  door.cut();
  const startedAt = performance.now();
  await expect(queue.wake('during')).rejects.toMatchObject({ code: 'queue_unavailable' });
  await expect(queue.ping()).rejects.toMatchObject({ code: 'queue_unavailable' });
  expect(performance.now() - startedAt).toBeLessThan(4500);

  door.heal();
  await untilItWorks(() => queue.wake('after'));
  await runs.reach(2);
  expect(runs.seen).toEqual(['before', 'after']);
  await queue.close();
});

test('a queue opened while Redis is away works once Redis is there', async () => {
  await using door = await openDoor(redisUrl);
  door.cut();
  const queue = await createQueue({
    redisUrl: door.url,
    databaseUrl,
    logger: silentLogger,
    prefix: freshName(),
  });
  const runs = recorder();
  await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
  await expect(queue.wake('a')).rejects.toMatchObject({ code: 'queue_unavailable' });

  door.heal();
  await untilItWorks(() => queue.wake('a'));
  await runs.reach(1);

  expect(runs.seen).toEqual(['a']);
  await queue.close();
});

test('producers fail fast while Postgres is away and recover by themselves', async () => {
  await using door = await openDoor(databaseUrl);
  const queue = await createQueue({ databaseUrl: door.url, logger: silentLogger, prefix: freshName() });
  const runs = recorder();
  await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
  await queue.wake('before');
  await runs.reach(1);

  door.cut();
  await expect(queue.wake('during')).rejects.toMatchObject({ code: 'queue_unavailable' });

  door.heal();
  await untilItWorks(() => queue.wake('after'));
  await runs.reach(2);
  expect(runs.seen).toEqual(['before', 'after']);
  await queue.close();
});

test('a server that accepts and never answers makes ping fail within two seconds', async () => {
  await using door = await openDoor(null);

  const queue = await createQueue({
    redisUrl: door.url,
    databaseUrl,
    logger: silentLogger,
    prefix: freshName(),
  });
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
  const client = new Redis(redisUrl);
  const queues: Queue[] = [];
  const keys = (pattern: string): Promise<string[]> => client.keys(`${prefix}:${pattern}`);
  async function wipe(): Promise<void> {
    const all = await keys('*');
    if (all.length > 0) await client.del(all);
  }
  return {
    async open(options = {}) {
      const queue = await createQueue({ redisUrl, databaseUrl, logger: silentLogger, prefix, ...options });
      queues.push(queue);
      return queue;
    },
    wipe,
    async leaveStrayKey(sessionId) {
      const [finished] = await client.zrevrange(`${prefix}:turns:completed`, 0, 0);
      await client.set(`${prefix}:turns:de:${await hashOf(sessionId)}`, finished ?? 'none');
    },
    async loseLocks() {
      for (const key of await keys('turns:*:lock')) await client.set(key, 'another worker');
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((queue) => queue.close()));
      await wipe();
      client.disconnect();
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
      const finished = await pool.query<{ id: string }>(
        `SELECT id FROM job WHERE queue = 'turns' AND state = 'completed' LIMIT 1`,
      );
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
    },
  };
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
