import {
  dollarWords,
  textOfParts,
  type LedgerRow,
  type MessageRow,
  type SessionHold,
  type SessionOverview,
  type Spending,
} from '@palimpsest/core';
import { priceWords, sayIn, type CompactionPreview } from '@palimpsest/turn';

/** Sessions, rows and compactions as lines for a terminal. */

export function overviewLine(session: SessionOverview): string {
  const name = session.title ?? session.chatTitle ?? (session.platform === 'local' ? session.chatId : '');
  const context = session.lastPromptTokens > 0 ? session.lastPromptTokens : session.liveTokens;
  return [
    session.id,
    session.platform.padEnd(8),
    session.chatKind.padEnd(6),
    `${number(context)} tokens`.padStart(16),
    `${session.liveRows} live`.padStart(10),
    `${session.archivedRows} archived`.padStart(15),
    `${session.compactions} compactions`.padStart(15),
    dollarWords(session.dollars).padStart(12),
    session.lastActivityAt.toISOString(),
    name,
    session.endedAt ? '(ended)' : '',
  ]
    .join('  ')
    .trimEnd();
}

export function overviewLines(session: SessionOverview): string[] {
  return [
    `${session.id}  ${session.title ?? ''}`.trimEnd(),
    `chat        ${session.platform}, ${session.chatKind}, ${session.chatId}${session.chatTitle === null ? '' : `, ${session.chatTitle}`}${session.endedAt ? `; ended ${session.endedAt.toISOString()}` : ''}`,
    `engine      ${session.engine}, model ${session.model ?? 'not chosen yet'}`,
    `context     ${session.lastPromptTokens > 0 ? `${number(session.lastPromptTokens)} tokens, counted by the model` : `about ${number(session.liveTokens)} tokens of messages, not counted yet`}`,
    `messages    ${session.liveRows} live, ${session.archivedRows} archived`,
    `waiting     ${session.pending}${session.running ? ', a turn is running' : ''}`,
    `compactions ${session.compactions}`,
  ];
}

/** How full the model's window is, and who says how large it is. */
export function windowLine(window: {
  windowTokens: number;
  windowSource: string;
  promptTokens: number;
}): string {
  const { windowTokens, windowSource, promptTokens } = window;
  return `window      ${number(windowTokens)} tokens (${windowSource}), ${percent(promptTokens / windowTokens)} full`;
}

export function holdLines({ epoch, holder, heldUntil, lastFailure }: SessionHold): string[] {
  const until = heldUntil ? ` until ${heldUntil.toISOString()}` : '';
  return [
    `held by     ${holder ?? 'nobody'}${until}, epoch ${epoch}`,
    ...(lastFailure ? [`last error  ${lastFailure.what}, ${lastFailure.at.toISOString()}`] : []),
  ];
}

/** What the session's model calls cost, for a terminal. */
export function spendingLine(spent: Spending): string {
  const unpriced = spent.unpricedCalls > 0 ? `, ${spent.unpricedCalls} of them without a known price` : '';
  return `cost        ${dollarWords(spent.dollars)} in ${number(spent.calls)} model calls${unpriced}: ${number(spent.promptTokens)} tokens read (${number(spent.cacheReadTokens)} from the cache), ${number(spent.outputTokens)} written`;
}

export function ledgerLine(row: LedgerRow): string {
  const end = `${row.outcome ?? 'under way'}${row.reason === 'none' ? '' : ` (${row.reason})`}`;
  const undone = row.undoneBy === undefined ? '' : `, taken back by ${row.undoneBy}`;
  const isChapter = isNewChapter(row);
  const trigger = isChapter ? 'new chapter' : row.trigger;
  const figures = isChapter
    ? `, ${number(row.figures?.rowsArchived ?? 0)} messages set aside`
    : row.figures
      ? `, ${number(row.figures.tokensBefore)} → ${number(row.figures.tokensAfter)} tokens, ${row.figures.rowsBefore} → ${row.figures.rowsAfter} messages${imagesText(row.figures.imagesDropped ?? 0)}`
      : '';
  const strategy = row.strategy === 'local' || row.strategy === 'prune' ? ` ${row.strategy}` : '';
  const message = row.message === undefined ? '' : `; ${row.message}`;
  return `${String(row.id).padStart(6)}  ${row.startedAt.toISOString()}  ${row.layer}/${trigger}${strategy}: ${end}${figures}${sweepText(row)}${costText(row)}${cacheText(row)}${waitText(row)}${undone}${message}`;
}

function costText({ figures }: LedgerRow): string {
  return figures?.summaryDollars === undefined ? '' : `, summary ${dollarWords(figures.summaryDollars)}`;
}

/** What was read from the cache before it and is after it: the price that is paid beside the summary. */
function cacheText({ cacheShareBefore: before, cacheShareAfter: after }: LedgerRow): string {
  return typeof before === 'number' && typeof after === 'number'
    ? `, cache ${percent(before)} → ${percent(after)}`
    : '';
}

function waitText({ messagesDeferred }: LedgerRow): string {
  return messagesDeferred ? `, ${number(messagesDeferred)} messages waited` : '';
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function sweepText({ sweep }: LedgerRow): string {
  if (!sweep) return '';
  const { leaves, condensed, decision, cacheState, stoppedBy } = sweep;
  const end = stoppedBy === 'none' ? '' : `, ended by ${stoppedBy}`;
  return `, ${leaves} leaves and ${condensed} condensed (${decision}, cache ${cacheState}${end})`;
}

function imagesText(dropped: number): string {
  if (dropped === 0) return '';
  return dropped === 1 ? ', 1 image dropped' : `, ${number(dropped)} images dropped`;
}

/** /new sets every row aside and tells none of them in a summary, so it saved nothing. */
function isNewChapter({ trigger, figures }: LedgerRow): boolean {
  return trigger === 'manual' && figures?.summaryTokens === 0 && figures.rowsAfter === 0;
}

/** One live row; its text only when asked for, and then one line of it. */
export function rowLine(row: MessageRow, withText: boolean): string {
  const text = withText ? `  ${textOfParts(row.parts).replace(/\s+/g, ' ').slice(0, 80).toWellFormed()}` : '';
  const replaces = row.replaces === undefined ? '' : `  stands for ${row.replaces}`;
  return `${String(row.seq).padStart(8)}  ${row.role.padEnd(9)}  ${row.kind.padEnd(9)}  ${number(row.tokens).padStart(7)}${replaces}${text}`;
}

export function previewLines(preview: CompactionPreview): string[] {
  if (preview.ranges.length === 0)
    return [`nothing would change: ${preview.outcome} (${preview.reason}); ${preview.message ?? ''}`];
  return [
    `messages    ${preview.rowsBefore} → ${preview.rowsAfter}`,
    `tokens      ${number(preview.tokensBefore)} → about ${number(preview.tokensAfter)} (before: ${preview.tokensBeforeSource})`,
    ...preview.ranges.map(
      (range) =>
        `would leave messages ${range.first}–${range.last}: ${range.rows} rows, ids ${range.firstRowId} to ${range.lastRowId}, ${number(range.tokens)} tokens`,
    ),
    `summary     ${preview.summaryModel}, ${preview.summaryCalls} calls: reads about ${number(preview.summaryInputTokens)} tokens, writes at most ${number(preview.summaryOutputTokens)}`,
    ...(preview.price ? [`price       ${priceWords(preview.price, sayIn({}))}`] : []),
    'Nothing was changed and no model was asked.',
  ];
}

function number(value: number): string {
  return value.toLocaleString('en');
}
