/** compactions, sessions, events: what a provider condensed on its own side. */
import type { CompactionFigures, OpenedCompaction, ProviderCompaction } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import type { SessionRecord } from '../session-row.ts';
import { writeEvents } from '../write-events.ts';
import { openLedgerRow } from './open-ledger-row.ts';

const message = 'the provider condensed its own view of the conversation; every row stays as it was';

export interface ProviderRecord {
  opened: OpenedCompaction;
  compaction: ProviderCompaction;
  figures: CompactionFigures;
}

/**
 * Note it inside a transaction that holds the session row's lock. The row carries no figures: what has some is one of our
 * own compactions, which can be taken back, is judged by the next prompt and counts towards the hourly limit.
 */
export async function recordProvider(
  tx: Transaction,
  session: SessionRecord,
  { opened, compaction, figures }: ProviderRecord,
): Promise<number> {
  const compactionId = await openLedgerRow(tx, opened);
  await run(
    tx,
    sql`UPDATE compactions SET outcome = 'success', in_place = false, epoch_after = ${session.epoch}::bigint,
        message = ${message}, details = ${JSON.stringify(compaction)}::jsonb, finished_at = clock_timestamp(), duration_ms = 0
      WHERE session_id = ${session.id} AND id = ${compactionId}::bigint`,
    'record_provider_compaction',
  );
  const counted = await runOne<{ compaction_count: number }>(
    tx,
    sql`UPDATE sessions SET compaction_count = compaction_count + 1, updated_at = now()
      WHERE id = ${session.id} RETURNING compaction_count`,
    'count_provider_compaction',
  );
  await writeEvents(tx, [
    {
      type: 'session:compress',
      sessionId: session.id,
      oldSessionId: '',
      inPlace: false,
      platform: session.platform,
      engine: opened.engine,
      layer: opened.layer,
      trigger: opened.trigger,
      outcome: 'success',
      compactionId,
      compactionCount: counted?.compaction_count ?? 0,
      figures,
      provider: compaction,
    },
  ]);
  tx.notices.add([{ kind: 'compaction', sessionId: session.id }]);
  return compactionId;
}
