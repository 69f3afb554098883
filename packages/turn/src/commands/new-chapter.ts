import type { CompactionPlan, MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { compactSession } from '../compact-session.ts';
import { sayTo, withdrawnText } from '../texts.ts';

/** /new: every live row is archived, the session and its id stay; older messages that still waited are withdrawn. */
export async function newChapter(
  claimed: ClaimedSession,
  row: MailboxRow,
  signal: AbortSignal,
): Promise<string> {
  const said = withdrawnText(
    row.chat,
    await claimed.deps.store.turns.withdrawPending(claimed.lease, row.seq),
  );
  const say = sayTo(row);
  if (claimed.measured().rows === 0) return say('newChapter') + said;
  const done = await compactSession(claimed, {
    plan: (await claimed.engine.newChapter?.(claimed.view)) ?? archiveAll(claimed),
    layer: 'manual',
    trigger: 'manual',
    mode: 'full',
    force: true,
    signal,
  });
  await claimed.deps.store.compactions.dropPrepared(claimed.session.id);
  return (done.applied ? say('newChapterKept') : say('chapterNotClosed', { reason: done.reason })) + said;
}

function archiveAll(claimed: ClaimedSession): CompactionPlan {
  const { rows } = claimed.view;
  const state = claimed.state();
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: rows.map((row) => row.id),
    write: [],
    summaryModel: null,
    figures: {
      tokensBefore: state.promptTokens,
      tokensBeforeSource: state.source,
      tokensAfter: state.budget.overheadTokens,
      rowsBefore: rows.length,
      rowsAfter: 0,
      rowsArchived: rows.length,
      rowsProtected: 0,
      rowsDroppedWithoutSummary: 0,
      toolResultsPruned: 0,
      summaryTokens: 0,
      summaryCalls: 0,
      summaryInputTokens: 0,
      summaryOutputTokens: 0,
      escalation: 'normal',
    },
  };
}
