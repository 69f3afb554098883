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
import { ledgerHead } from './ledger-head.ts';

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
  const refusal = whyNot(claimed, ground);
  if (refusal !== null || ground === null) return { kind: 'refused', text: refusal ?? nothingText };
  const figures = figuresOf(claimed, ground);
  const { windowTokens, outputReserveTokens } = claimed.budget();
  const hardLimit = windowTokens - outputReserveTokens;
  if (figures.tokensAfter >= hardLimit)
    return { kind: 'refused', text: tooBigText(figures.tokensAfter, hardLimit) };
  const text = undoneText(ground, figures, figures.tokensAfter >= hygieneThreshold(windowTokens, hardLimit));
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
  ground: UndoGround,
  { tokensBefore, tokensAfter }: CompactionFigures,
  isNearlyFull: boolean,
): string {
  const next = isNearlyFull
    ? 'It fills most of what the model can take, so the next message will condense it again.'
    : 'It is not condensed again before it has grown.';
  const what =
    ground.restoredRows === 0
      ? 'earlier summaries stand again as they did'
      : `${ground.restoredRows} messages are in the conversation again, word for word`;
  return `Taken back: ${what}; about ${tokensBefore.toLocaleString('en')} → ${tokensAfter.toLocaleString('en')} tokens. ${next}`;
}

/** Engines whose state comes back with the rows; a plug-in's JSON has no former version. */
const undoable: ReadonlySet<string> = new Set(['compressor', 'lcm', 'dcp']);

const nothingText = 'There is no condensing to take back.';

function whyNot(claimed: ClaimedSession, ground: UndoGround | null): string | null {
  const rotates = !claimed.deps.config.compression.in_place && claimed.engine.name === 'compressor';
  if (
    rotates ||
    ground?.inPlace === false ||
    (ground === null && claimed.session.parentSessionId !== undefined)
  )
    return 'Condensing moved this conversation to a new session (compression.in_place is false), so it cannot be taken back. What was said before stays searchable.';
  if (ground === null) return nothingText;
  if (!undoable.has(ground.engine))
    return `The last condensing was done by the engine ${ground.engine}, which keeps a state of its own; it cannot be taken back this way.`;
  return null;
}

function tooBigText(tokens: number, hardLimit: number): string {
  return `It cannot be taken back: the conversation would have about ${tokens.toLocaleString('en')} tokens again, and at most ${hardLimit.toLocaleString('en')} fit the model with room for an answer. What was said before stays searchable.`;
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
