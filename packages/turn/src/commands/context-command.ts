import { systemBlocks } from '@palimpsest/agent';
import { estimateOverhead, type RowHeader } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { isHeldByProvider } from '../provider-compaction.ts';
import { previewCompaction } from '../preview-compaction.ts';
import { counted } from './counted.ts';

interface ContextPart {
  name: string;
  tokens: number;
}

/** /context: what fills the model's window, by part. All but the sum is our estimate. */
export async function contextCommand(claimed: ClaimedSession, signal: AbortSignal): Promise<string> {
  const { promptTokens, budget, source } = claimed.state();
  const { windowTokens, outputReserveTokens } = budget;
  const isCounted = source === 'api' && claimed.deps.model.info.provider !== 'offline';
  const parts = [...fixedParts(claimed), ...(await rowParts(claimed, signal))].filter(
    ({ tokens }) => tokens > 0,
  );
  return [
    `Context: ${number(promptTokens)} of ${number(windowTokens)} tokens, ${percent(promptTokens, windowTokens)} (${isCounted ? 'counted by the model' : 'estimated'}).`,
    'By part, estimated:',
    ...parts.map(({ name, tokens }) => `• ${name}: ${number(tokens)} (${percent(tokens, windowTokens)})`),
    `Kept free for the answer: ${number(outputReserveTokens)}.`,
  ].join('\n');
}

function fixedParts({ session, toolSchemas }: ClaimedSession): ContextPart[] {
  const system = estimateOverhead(systemBlocks(session), []);
  const tools = estimateOverhead(systemBlocks(session), toolSchemas) - system;
  return [
    { name: 'System prompt', tokens: system },
    { name: counted(toolSchemas.length, 'tool'), tokens: tools },
  ];
}

async function rowParts(claimed: ClaimedSession, signal: AbortSignal): Promise<ContextPart[]> {
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
        name: `Conversation, ${counted(spoken.length, 'message')}, partly condensed`,
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
    { name: `Beginning, ${counted(head.length, 'message')}`, tokens: scaled(sum(head)) },
    { name: 'Summaries', tokens: scaled(summaries) },
    { name: `Middle, ${counted(middle.length, 'message')}, condensed next`, tokens: scaled(sum(middle)) },
    { name: `Tail, ${counted(tail.length, 'message')}, kept word for word`, tokens: scaled(sum(tail)) },
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

function number(value: number): string {
  return value.toLocaleString('en');
}
