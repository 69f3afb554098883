/** The session's row as the database holds it, read and changed beside the service: tests move its times back. */
import pg from 'pg';
import type { TurnWorld } from './turn-world.ts';

/** `rest_seconds`: what is left of the cooldown, to the next five seconds. */
export async function sessionRow(world: TurnWorld): Promise<Record<string, unknown>> {
  const [row] = await run(
    world,
    `SELECT *, round(extract(epoch FROM cooldown_until - now()) / 5)::int * 5 AS rest_seconds
     FROM sessions WHERE id = $1`,
  );
  return row!;
}

/** `assignments` in SQL. The session is not at work: its last answer was heard, so wait until its lease is free. */
export async function setSession(world: TurnWorld, assignments: string): Promise<void> {
  for (;;) {
    const done = await run(
      world,
      `UPDATE sessions SET ${assignments} WHERE id = $1 AND (lease_until IS NULL OR lease_until <= now()) RETURNING id`,
    );
    if (done.length > 0) return;
  }
}

export async function isTurnRunning(world: TurnWorld): Promise<boolean> {
  return (await run(world, `SELECT 1 FROM turns WHERE session_id = $1 AND state = 'running'`)).length > 0;
}

async function run(world: TurnWorld, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [await world.sessionId()])).rows;
  } finally {
    await client.end();
  }
}
