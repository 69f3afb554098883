import { queryDatabase } from '@palimpsest/testkit';
import type { TurnWorld } from './turn-world.ts';
import { until } from './until.ts';

/** Waits until nothing that was said is open any more, and every reply is out. */
export async function untilQuiet({ databaseUrl }: Pick<TurnWorld, 'databaseUrl'>): Promise<void> {
  await until(async () => {
    const [open] = await queryDatabase(
      databaseUrl,
      `SELECT (SELECT count(*) FROM mailbox WHERE state IN ('pending', 'claimed')) + (SELECT count(*) FROM signals)
         + (SELECT count(*) FROM turns WHERE state = 'running')
         + (SELECT count(*) FROM outbox WHERE state IN ('open', 'pending', 'sending')) AS count`,
    );
    return Number(open?.['count']) === 0;
  });
}
