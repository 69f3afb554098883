import { noticeMark } from '@palimpsest/core';
import type { HistoryStore, LedgerRow, Store } from '@palimpsest/core';
import type { FakeModel } from '@palimpsest/testkit';
import type { Counterpart } from './counterpart.ts';
import { missingRows } from './missing-rows.ts';
import type { Played, Speed } from './play.ts';
import { wordsOf } from './words-of.ts';
import { finalTexts, notedText } from './recorded-model.ts';
import type { Recording } from './recording.ts';

/** The end report; with --json one object on standard output. */
export interface ReplayReport {
  file: string;
  platform: string;
  queue: string;
  sent: number;
  answered: number;
  lost: number;
  duplicated: number;
  out_of_order: number;
  compactions: readonly {
    layer: string;
    trigger: string;
    outcome: string | null;
    tokens_before: number;
    tokens_after: number;
  }[];
  rows: { live: number; archived: number; withdrawn: number };
  /** null with burst, where the answers differ from the recording. */
  missing_rows: number | null;
  session_ids: readonly string[];
  window: number;
  largest_prompt_tokens: number;
  prompts_refused: number;
  events: number;
  violations: readonly string[];
  wall_ms: number;
}

export interface ReportInput {
  file: string;
  platform: string;
  queue: string;
  speed: Speed;
  window: number;
  recording: Recording;
  played: Played;
  counterpart: Counterpart;
  model: FakeModel;
  summariser: FakeModel;
  store: Store;
  history: HistoryStore;
  wallMs: number;
}

export async function makeReport(input: ReportInput): Promise<ReplayReport> {
  const sessionIds = await input.history.sessionsOfChat(input.counterpart.account, input.counterpart.place);
  const accepted = (await Promise.all(sessionIds.map((id) => input.history.accepted(id)))).flat();
  const answered = accepted.filter(
    (message) => message.turnState === 'answered' && message.replyState === 'sent',
  ).length;
  const ledger = (await Promise.all(sessionIds.map((id) => readLedger(input.store, id)))).flat();
  const rows = await countRows(input.store, sessionIds);
  const order = judgeOrder(input);
  const rowSeqs = accepted.flatMap((message) => (message.rowSeq === null ? [] : [message.rowSeq]));
  return {
    file: input.file,
    platform: input.platform,
    queue: input.queue,
    sent: input.played.sent.length,
    answered,
    lost: input.played.sent.length - answered,
    duplicated:
      order.duplicated + (accepted.length - new Set(accepted.map((message) => message.messageId)).size),
    out_of_order: order.outOfOrder + descents(rowSeqs),
    compactions: ledger.map((row) => ({
      layer: row.layer,
      trigger: row.trigger,
      outcome: row.outcome,
      tokens_before: row.figures?.tokensBefore ?? 0,
      tokens_after: row.tokensAfterConfirmed ?? row.figures?.tokensAfter ?? 0,
    })),
    rows,
    missing_rows:
      input.speed === 'burst' ? null : await missingRows(input.store, sessionIds, input.recording),
    session_ids: sessionIds,
    window: input.window,
    largest_prompt_tokens: input.model.largestPromptTokens,
    prompts_refused: input.model.refused,
    events: await input.history.countEvents(sessionIds, 'session:compress'),
    violations: [
      ...input.counterpart.violations(),
      ...input.model.violations,
      ...input.summariser.violations,
    ],
    wall_ms: Math.round(input.wallMs),
  };
}

async function readLedger(store: Store, sessionId: string): Promise<readonly LedgerRow[]> {
  return (await store.compactions.ledger({ sessionId, limit: 10_000 })).toReversed();
}

async function countRows(store: Store, sessionIds: readonly string[]): Promise<ReplayReport['rows']> {
  const counts = { live: 0, archived: 0, withdrawn: 0 };
  for (const sessionId of sessionIds) {
    for (let afterSeq = 0; ;) {
      const page = await store.transcript.page(sessionId, { afterSeq, limit: 1_000 });
      for (const row of page) counts[row.state] += 1;
      if (page.length === 0) break;
      afterSeq = page.at(-1)!.seq;
    }
  }
  return counts;
}

/** Compare what was heard with the recorded answers: each once, in their order; notices and (noted) aside. */
function judgeOrder(input: ReportInput): { duplicated: number; outOfOrder: number } {
  const wanted = new Map<string, number[]>();
  for (const [index, exchange] of input.recording.exchanges.entries()) {
    const texts = finalTexts(exchange);
    if (texts.length === 0) continue;
    const text = wordsOf(texts.join('\n\n'));
    wanted.set(text, [...(wanted.get(text) ?? []), index]);
  }
  let duplicated = 0;
  const positions: number[] = [];
  for (const heard of input.counterpart.heard()) {
    const text = heard.trim();
    if (text === notedText || text.startsWith(noticeMark.trim())) continue;
    const left = wanted.get(wordsOf(text));
    const next = left?.shift();
    if (next === undefined) duplicated += 1;
    else positions.push(next);
  }
  return { duplicated, outOfOrder: descents(positions) };
}

function descents(numbers: readonly number[]): number {
  return numbers.filter((number, index) => index > 0 && number < numbers[index - 1]!).length;
}

/** The report for people. */
export function reportLines(report: ReplayReport): string[] {
  const outcomes = new Map<string, number>();
  for (const { layer, trigger, outcome } of report.compactions) {
    const key = `${layer}/${trigger} ${outcome ?? 'open'}`;
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
  }
  return [
    `${report.file} on ${report.platform}, queue ${report.queue}, window ${report.window}`,
    `  sent ${report.sent}, answered ${report.answered}, lost ${report.lost}, duplicated ${report.duplicated}, out of order ${report.out_of_order}`,
    `  compactions ${report.compactions.length}: ${[...outcomes].map(([key, count]) => `${count} × ${key}`).join(', ') || 'none'}; events ${report.events}`,
    `  rows live ${report.rows.live}, archived ${report.rows.archived}, withdrawn ${report.rows.withdrawn}; missing ${report.missing_rows ?? 'not judged'}`,
    `  largest prompt ${report.largest_prompt_tokens} tokens, refused ${report.prompts_refused}; sessions ${report.session_ids.join(', ')}`,
    ...report.violations.map((violation) => `  violation: ${violation}`),
    `  ${report.wall_ms} ms`,
  ];
}
