/** What the lossless engine stores with a plan, a round or a turn's end. */
import { cleanDeep, GatewayError, type LcmChange } from '@palimpsest/core';
import { type Transaction, together } from '../database.ts';
import { writeDebt } from './debts.ts';
import { writeFiles } from './files.ts';
import { leaveItems, replaceItems } from './write-items.ts';
import { writeNodes } from './write-nodes.ts';
import { supersede, writeChapter, writeTelemetry } from './write-beside.ts';

export interface LcmContext {
  sessionId: string;
  /** The compaction that the change belongs to; null with a round. Items change only with one, so that an undo is exact. */
  compactionId: number | null;
}

/**
 * Write a change inside a transaction that holds the session row's lock and has archived the rows that new leaves cover.
 *
 *   nodes and edges → items out, items in → rows of a left engine → chapter, telemetry, debt, files
 *
 * throws  PlanOutdated when an item to remove is no longer in the context; input_invalid for a change that breaks the
 *         graph's rules. The transaction must then be rolled back.
 */
export async function writeLcm(tx: Transaction, context: LcmContext, change: LcmChange): Promise<void> {
  const { sessionId, compactionId } = context;
  const clean = cleanDeep(change);
  if (compactionId === null && changesContext(clean)) {
    throw new GatewayError(
      'input_invalid',
      `a change of the context of session ${sessionId} came without a compaction; it must be part of a plan`,
    );
  }
  // Sent behind each other and waited for once; the server runs them in this order.
  await together(() => [
    writeNodes(tx, sessionId, clean.summaries ?? []),
    compactionId === null ? Promise.resolve() : writeContext(tx, { sessionId, compactionId }, clean),
    supersede(tx, sessionId, clean.supersede ?? []),
    writeTelemetry(tx, sessionId, clean.telemetry),
    writeDebt(tx, sessionId, clean),
    writeFiles(tx, sessionId, clean.files ?? []),
  ]);
}

function changesContext(change: LcmChange): boolean {
  const { removeItems: removed = [], addItems: added = [], boundarySeq, leave } = change;
  return removed.length + added.length > 0 || boundarySeq !== undefined || leave === true;
}

async function writeContext(
  tx: Transaction,
  context: { sessionId: string; compactionId: number },
  change: LcmChange,
): Promise<void> {
  await together(() => [
    replaceItems(tx, context, change),
    leaveItems(tx, context, change.leave ?? false),
    writeChapter(tx, context, change.boundarySeq),
  ]);
}
