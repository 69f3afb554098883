import type { LcmGrep, LcmGrepFound, LcmMessageHit, LcmSummaryHit, ToolResult } from '@palimpsest/core';
import { oneLine } from '../../compressor/one-line.ts';
import { answer, refuse, ToolProblem, type ToolArguments } from './arguments.ts';
import { refusalWords } from './refusal-words.ts';
import { scopeOf, type ToolGround } from './tool-ground.ts';

const snippetCharacters = 200;
const mostCharacters = 40_000;
const sorts = ['recency', 'relevance', 'hybrid'] as const;
const scopes = ['messages', 'summaries', 'both', 'files'] as const;

/** Find words or an expression; one line a hit. */
export async function grep(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const query = input.text('query', 'pattern');
  if (query === undefined) return refuse(refusalWords({ kind: 'refused', reason: 'empty_query' }));
  const mode = input.word('mode', ['full_text', 'regex'], 'full_text');
  const limit = input.whole('limit', { otherwise: 20, least: 1, most: 100 });
  const named = input.text('scope') === undefined ? null : input.word('scope', scopes, 'both');
  if (named === 'files') return grepFiles({ query, mode, limit }, input, ground);
  const wish = { query, mode, limit, ...whatOf(input, named), ...rangeOf(input), sort: sortOf(input, mode) };
  if (!wish.messages && !wish.summaries)
    return refuse('nothing to search: include_messages and include_summaries are both false');
  const found = await ground.store.grep(scopeOf(ground, input), wish);
  if (found.kind === 'refused') return refuse(refusalWords(found));
  return answer(capped([headLine(found, wish), ...found.hits.map((hit) => hitLine(hit, ground))]));
}

function whatOf(
  input: ToolArguments,
  named: 'messages' | 'summaries' | 'both' | null,
): { messages: boolean; summaries: boolean } {
  if (named !== null) return { messages: named !== 'summaries', summaries: named !== 'messages' };
  return {
    messages: input.boolean('include_messages', true),
    summaries: input.boolean('include_summaries', true),
  };
}

function rangeOf(input: ToolArguments): Pick<LcmGrep, 'since' | 'before'> {
  const since = input.time('since');
  const before = input.time('before');
  if (since && before && since >= before) throw new ToolProblem('"since" must lie before "before"');
  return { since, before };
}

function sortOf(input: ToolArguments, mode: LcmGrep['mode']): LcmGrep['sort'] {
  const sort = input.word('sort', sorts, 'recency');
  if (mode === 'regex' && sort !== 'recency')
    throw new ToolProblem(`"sort" ${sort} needs mode full_text; a regular expression sorts by recency`);
  return sort;
}

function headLine({ hits, scanned, isCut, isPartial }: LcmGrepFound, { mode, sort }: LcmGrep): string {
  const messages = hits.filter(({ kind }) => kind === 'message').length;
  const counts = `${messages} messages, ${hits.length - messages} summaries`;
  const cut = isCut ? `; only the newest ${scanned} rows were tried` : '';
  if (isPartial && hits.length > 0)
    return `${counts} (${mode}: no row holds all of the words; those that hold the most telling ones, best first)`;
  return hits.length === 0
    ? `Nothing found (${mode}${cut}). Try other or fewer words.`
    : `${counts} (${mode}, ${sort}${cut})`;
}

function hitLine(hit: LcmMessageHit | LcmSummaryHit, { sessionId, time }: ToolGround): string {
  const elsewhere = hit.sessionId === sessionId ? '' : ` in conversation ${hit.sessionId}`;
  const snippet = oneLine(hit.snippet, snippetCharacters);
  if (hit.kind === 'summary') {
    const { id, depth, earliestAt, latestAt } = hit.summary;
    return `${id}${elsewhere} [${time(earliestAt)} – ${time(latestAt)}] depth ${depth}: ${snippet}`;
  }
  const who = hit.sender ?? hit.role;
  const under = hit.coveredBy === null ? '' : ` (under ${hit.coveredBy})`;
  return `message ${hit.messageId}${elsewhere} [${time(hit.sentAt)}] ${who}${under}: ${snippet}`;
}

async function grepFiles(
  wish: { query: string; mode: LcmGrep['mode']; limit: number },
  input: ToolArguments,
  ground: ToolGround,
): Promise<ToolResult> {
  const fileIds = input.texts('file_ids');
  const found = await ground.store.grepFiles(scopeOf(ground, input), { ...wish, fileIds });
  if (found.kind === 'refused') return refuse(refusalWords(found));
  const skipped = found.filesSkipped === 0 ? '' : `, ${found.filesSkipped} are no text`;
  const head = `${found.hits.length} lines in ${found.filesSearched} files${skipped}`;
  const lines = found.hits.map(
    ({ fileId, name, line, byteOffset, snippet }) =>
      `${fileId} ${name}:${line} (byte ${byteOffset}): ${oneLine(snippet, snippetCharacters)}`,
  );
  return answer(capped([head, ...lines]));
}

function capped(lines: readonly string[]): string {
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    characters += line.length + 1;
    if (characters > mostCharacters) {
      kept.push(`[cut: ${lines.length - kept.length} more lines; lower the limit or narrow the query]`);
      break;
    }
    kept.push(line);
  }
  return kept.join('\n');
}
