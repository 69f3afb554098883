import { systemBlocks } from '@palimpsest/agent';
import { estimateOverhead, type RowHeader } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';
import { isHeldByProvider } from '../provider-compaction.ts';
import { previewCompaction } from '../preview-compaction.ts';
import { figureSource } from './figure-source.ts';

interface ContextPart {
  name: string;
  tokens: number;
}

/** /context: what fills the model's window, by part. All but the sum is our estimate. */
export async function contextCommand(
  claimed: ClaimedSession,
  { say, signal }: { say: Say; signal: AbortSignal },
): Promise<string> {
  const state = claimed.state();
  const { promptTokens, budget } = state;
  const { windowTokens, outputReserveTokens } = budget;
  const parts = [...fixedParts(claimed, say), ...(await rowParts(claimed, { say, signal }))].filter(
    ({ tokens }) => tokens > 0,
  );
  return [
    say('contextSum', {
      tokens: say.number(promptTokens),
      window: say.number(windowTokens),
      percent: percent(promptTokens, windowTokens),
      source: figureSource(claimed, state, say),
    }),
    say('contextByPart'),
    ...parts.map(({ name, tokens }) => `• ${name}: ${say.number(tokens)} (${percent(tokens, windowTokens)})`),
    say('contextReserve', { tokens: say.number(outputReserveTokens) }),
  ].join('\n');
}

function fixedParts({ session, toolSchemas }: ClaimedSession, say: Say): ContextPart[] {
  const system = estimateOverhead(systemBlocks(session), []);
  const tools = estimateOverhead(systemBlocks(session), toolSchemas) - system;
  return [
    { name: say('contextSystem'), tokens: system },
    { name: say.counted(toolSchemas.length, 'tool'), tokens: tools },
  ];
}

async function rowParts(
  claimed: ClaimedSession,
  { say, signal }: { say: Say; signal: AbortSignal },
): Promise<ContextPart[]> {
  const messages = (rows: readonly RowHeader[]) => ({ messages: say.counted(rows.length, 'message') });
  const { rows } = claimed.view;
  const ratio = claimed.session.estimateRatio;
  const spoken = rows.filter((row) => row.kind !== 'summary');
  // What an engine shows beside the rows, or instead of some of them.
  const beside = claimed.measured().tokens - sum(rows);
  const summaries = sum(rows.filter((row) => row.kind === 'summary')) + Math.max(0, beside);
  const scaled = (tokens: number): number => Math.round(tokens * ratio);
  if (beside < 0)
    return [
      {
        name: say('contextWhole', messages(spoken)),
        tokens: scaled(sum(spoken) + beside),
      },
    ];
  const leaving = await leavingRows(claimed, signal);
  const first = rows.findIndex((row) => leaving.has(row.id));
  const isHead = (row: RowHeader): boolean => first !== -1 && row.seq < rows[first]!.seq;
  const middle = spoken.filter((row) => leaving.has(row.id));
  const head = spoken.filter((row) => !leaving.has(row.id) && isHead(row));
  const tail = spoken.filter((row) => !leaving.has(row.id) && !isHead(row));
  return [
    { name: say('contextHead', messages(head)), tokens: scaled(sum(head)) },
    { name: say('contextSummaries'), tokens: scaled(summaries) },
    { name: say('contextMiddle', messages(middle)), tokens: scaled(sum(middle)) },
    { name: say('contextTail', messages(tail)), tokens: scaled(sum(tail)) },
  ];
}

/** Rows that /compress would put away now. */
async function leavingRows(claimed: ClaimedSession, signal: AbortSignal): Promise<ReadonlySet<number>> {
  if (isHeldByProvider(claimed)) return new Set();
  const { ranges } = await previewCompaction(claimed, { signal });
  const { rows } = claimed.view;
  return new Set(ranges.flatMap(({ first, last }) => rows.slice(first - 1, last).map((row) => row.id)));
}

function sum(rows: readonly RowHeader[]): number {
  return rows.reduce((tokens, row) => tokens + row.tokens, 0);
}

function percent(tokens: number, windowTokens: number): string {
  return `${Math.round((tokens / windowTokens) * 100)} %`;
}
