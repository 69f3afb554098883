import {
  estimateTokens,
  type LcmDescribedSummary,
  type LcmManifestEntry,
  type ToolResult,
} from '@palimpsest/core';
import { cutToTokens } from '../../compressor/deterministic-summary.ts';
import { answer, refuse, type ToolArguments } from './arguments.ts';
import { describeFile } from './describe-file.ts';
import { notFound, scopeOf, type ToolGround } from './tool-ground.ts';

const manifestDepth = 3;
const mostManifestLines = 60;

/** The state of the history, or what lies under one id. */
export async function describe(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const named = input.text('id');
  if (named === undefined) return describeSession(input, ground);
  const id = /\b(?:sum|file)_[0-9a-f]{6,64}\b/.exec(named)?.[0];
  if (id === undefined)
    return refuse(`"id" holds neither sum_… nor file_…: ${JSON.stringify(named.slice(0, 80))}`);
  return id.startsWith('file_') ? describeFile(id, input, ground) : describeSummary(id, input, ground);
}

async function describeSession(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const isStats = input.boolean('include_stats', true);
  const isRecent = input.boolean('include_recent', true);
  const status = await ground.store.status(ground.sessionId);
  const lines = isStats ? [...(await ground.statusLines())] : [];
  if (isRecent && status.recent.length === 0) lines.push('Nothing was condensed yet.');
  if (isRecent)
    lines.push(
      ...status.recent.map(
        ({ at, trigger, outcome, nodes }) => `${ground.time(at)} ${trigger}: ${outcome}, ${nodes} summaries`,
      ),
    );
  return answer(lines.length === 0 ? 'Nothing was asked for.' : lines.join('\n'));
}

async function describeSummary(id: string, input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const scope = scopeOf(ground, input);
  const found = await ground.store.describe(scope, id);
  if (!found) return refuse(notFound(id));
  const cap = input.whole('token_cap', {
    otherwise: ground.config.max_expand_tokens,
    least: 1,
    most: 20_000,
  });
  const manifest = (await ground.store.manifest(scope, id, manifestDepth)) ?? [];
  return answer(
    [...headLines(found, ground), ...manifestLines(manifest, cap), '', cappedText(found.content, cap)].join(
      '\n',
    ),
  );
}

/** A summary taken over from another engine may be of any length. */
function cappedText(content: string, cap: number): string {
  const tokens = estimateTokens(content);
  if (tokens <= cap) return content;
  return `${cutToTokens(content, cap)}\n[cut at ${cap} of ${tokens} tokens; "token_cap" sets how many]`;
}

function headLines(found: LcmDescribedSummary, { time, sessionId }: ToolGround): string[] {
  const elsewhere = found.sessionId === sessionId ? [] : [`conversation ${found.sessionId}`];
  const replaced = found.supersededBy === null ? [] : [`written anew as ${found.supersededBy}`];
  return [
    `${found.id}: ${found.kind}, depth ${found.depth}, ${found.isInContext ? 'shown' : 'not shown'} in the context`,
    ...elsewhere,
    ...replaced,
    `${time(found.earliestAt)} – ${time(found.latestAt)}`,
    `${found.tokens} tokens itself, ${found.descendantTokens} of ${found.descendantCount} summaries under it, ${found.sourceMessageTokens} of ${found.messageCount} messages`,
    `made from: ${found.sourceIds.join(', ') || 'messages'}`,
    `part of: ${found.derivedIds.join(', ') || 'nothing'}`,
    `files: ${found.fileIds.join(', ') || 'none'}`,
    `text: ${found.escalation}${found.model ? `, by ${found.model}` : ''}`,
  ];
}

function manifestLines(manifest: readonly LcmManifestEntry[], cap: number): string[] {
  const lines = manifest
    .slice(0, mostManifestLines)
    .map(
      ({ level, id, depth, tokens }) =>
        `${'  '.repeat(level)}${id} depth ${depth}, ${tokens} tokens${tokens <= cap ? '' : ` (over ${cap})`}`,
    );
  const more = manifest.length - lines.length;
  return more > 0 ? [...lines, `  … and ${more} more`] : lines;
}
