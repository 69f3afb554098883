import {
  GatewayError,
  type CompactionFigures,
  type CompactionUndo,
  type MailboxRow,
  type NewReply,
  type UndoGround,
} from '@palimpsest/core';
import { hygieneThreshold } from '@palimpsest/hygiene';
import type { ClaimedSession } from './claimed-session.ts';
import { countAttempt } from './declined.ts';
import { ledgerHead } from './ledger-head.ts';
import { sayTo } from './texts.ts';
import type { Say } from './words/say.ts';

/** `text` tells the one who asked: what came back, or why not and the figure. */
export interface UndoEnd {
  kind: 'undone' | 'refused';
  text: string;
}

/**
 * Take the newest compaction back: what it archived is live again, byte for byte, what it wrote is withdrawn. The request
 * is answered in the same transaction, so that a repeat after a crash takes back nothing more. Refused, and then not yet
 * answered: when none stands, in rotation, for another engine's, and where the prompt would pass the hard limit.
 * throws LeaseLost; then nothing was written
 */
export async function undoCompaction(
  claimed: ClaimedSession,
  row: MailboxRow,
  replyWith: (text: string) => NewReply,
): Promise<UndoEnd> {
  const { deps, session } = claimed;
  const ground = await deps.store.compactions.undoGround(session.id);
  const say = sayTo(row);
  const refusal = whyNot(claimed, ground, say);
  if (refusal !== null || ground === null) return { kind: 'refused', text: refusal ?? say('backNone') };
  const figures = figuresOf(claimed, ground);
  const { windowTokens, outputReserveTokens } = claimed.budget();
  const hardLimit = windowTokens - outputReserveTokens;
  if (figures.tokensAfter >= hardLimit) {
    const sizes = { tokens: say.number(figures.tokensAfter), limit: say.number(hardLimit) };
    return { kind: 'refused', text: say('backTooBig', sizes) };
  }
  const isNearlyFull = figures.tokensAfter >= hygieneThreshold(windowTokens, hardLimit);
  const text = undoneText(say, ground, { ...figures, isNearlyFull });
  const isOperator = row.content.kind === 'operator';
  const undo: CompactionUndo = {
    compactionId: ground.compactionId,
    opened: ledgerHead(claimed, { layer: 'manual', trigger: 'undo' }),
    figures,
    request: { seq: row.seq, answer: isOperator ? text : null },
  };
  try {
    const undoId = await deps.store.compactions.undo(
      claimed.lease,
      undo,
      isOperator ? [] : [replyWith(text)],
    );
    await claimed.refresh();
    deps.meter.count('gateway_compaction_undo_total');
    countAttempt(claimed, undo.opened, { outcome: 'success', reason: 'none' });
    const { compactionId } = ground;
    deps.logger.info({ sessionId: session.id, compactionId, undoId, ...figures }, 'compaction taken back');
    return { kind: 'undone', text };
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === 'undo_refused')
      return { kind: 'refused', text: thrown.message };
    throw thrown;
  }
}

function undoneText(
  say: Say,
  { restoredRows }: UndoGround,
  after: Pick<CompactionFigures, 'tokensBefore' | 'tokensAfter'> & { isNearlyFull: boolean },
): string {
  return say('backDone', {
    what: restoredRows === 0 ? say('backSummaries') : say('backMessages', { count: restoredRows }),
    before: say.number(after.tokensBefore),
    after: say.number(after.tokensAfter),
    next: say(after.isNearlyFull ? 'backNearlyFull' : 'backResting'),
  });
}

/** Engines whose state comes back with the rows; a plug-in's JSON has no former version. */
const undoable: ReadonlySet<string> = new Set(['compressor', 'lcm', 'dcp']);

function whyNot(claimed: ClaimedSession, ground: UndoGround | null, say: Say): string | null {
  const rotates = !claimed.deps.config.compression.in_place && claimed.engine.name === 'compressor';
  if (
    rotates ||
    ground?.inPlace === false ||
    (ground === null && claimed.session.parentSessionId !== undefined)
  )
    return say('backRotated');
  if (ground === null) return say('backNone');
  return undoable.has(ground.engine) ? null : say('backOtherEngine', { engine: ground.engine });
}

/** The prompt afterwards is the larger of two guesses: what is known now and the change, and all rows estimated anew. */
function figuresOf(claimed: ClaimedSession, ground: UndoGround): CompactionFigures {
  const { promptTokens, source, budget, liveRows, session } = claimed.state();
  const change = ground.restoredTokens - ground.withdrawnTokens;
  const estimated = claimed.measured().tokens;
  const known = promptTokens + change * session.estimateRatio;
  const anew = budget.overheadTokens + (estimated + change) * session.estimateRatio;
  return {
    tokensBefore: promptTokens,
    tokensBeforeSource: source,
    tokensAfter: Math.max(0, Math.ceil(Math.max(known, anew))),
    rowsBefore: liveRows,
    rowsAfter: liveRows - ground.withdrawnRows + ground.restoredRows,
    rowsArchived: 0,
    rowsProtected: liveRows - ground.withdrawnRows,
    rowsDroppedWithoutSummary: 0,
    toolResultsPruned: 0,
    summaryTokens: 0,
    summaryCalls: 0,
    summaryInputTokens: 0,
    summaryOutputTokens: 0,
    escalation: 'normal',
  };
}
