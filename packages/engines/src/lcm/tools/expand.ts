import type { LcmScope, ToolResult } from '@palimpsest/core';
import { answer, refuse, ToolProblem, type ToolArguments } from './arguments.ts';
import { Expansion, type ExpansionWish } from './expansion.ts';
import { refusalWords } from './refusal-words.ts';
import { notFound, scopeOf, type ToolGround } from './tool-ground.ts';

const targets = ['message', 'summary', 'related'] as const;
const mostDepth = 10;
/** A message inside of an answer is cut here; by itself it can be read whole, page by page. */
const messageCharacters = 2_000;
/** Characters of a token, at the least, so that a page keeps to the cap. */
const charactersPerToken = 2;

/** Open a message, summaries, or what belongs to a topic; never more than the cap. */
export async function expand(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const named = input.text('target_type') !== undefined;
  const target = named ? input.word('target_type', targets, 'message') : guessTarget(input);
  switch (target) {
    case 'message':
      return expandMessage(input, ground);
    case 'summary':
      return expandSummaries(input, ground);
    case 'related':
      return expandRelated(input, ground);
  }
}

/** From the argument that only one of them takes. */
function guessTarget(input: ToolArguments): (typeof targets)[number] {
  if (input.texts('summary_ids').length > 0) return 'summary';
  if (input.text('query') !== undefined) return 'related';
  throw new ToolProblem('"target_type" is missing; allowed: message, summary, related');
}

/** What an expansion may cost and hold; the operator's cap is the ceiling. */
export function wishOf(
  input: ToolArguments,
  { config }: ToolGround,
  includeMessages: boolean,
): ExpansionWish {
  const most = config.max_expand_tokens;
  return {
    maxDepth: input.whole('max_depth', { otherwise: 3, least: 1, most: mostDepth }),
    tokenCap: input.whole('token_cap', { otherwise: most, least: 1, most }),
    includeMessages: input.boolean('include_messages', includeMessages),
    messageCharacters,
  };
}

async function expandMessage(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const named = input.text('target_id');
  const id = Number(/\d+/.exec(named ?? '')?.[0] ?? NaN);
  if (!Number.isSafeInteger(id)) return refuse('"target_id" must be the number of a message');
  const { tokenCap } = wishOf(input, ground, false);
  const offset = input.whole('offset', { otherwise: 0, least: 0, most: Number.MAX_SAFE_INTEGER });
  const maxCharacters = Math.max(1, tokenCap * charactersPerToken);
  const message = await ground.store.message(scopeOf(ground, input), id, { offset, maxCharacters });
  if (!message) return refuse(notFound(named ?? ''));
  const who = message.sender ?? message.role;
  const more =
    message.nextOffset === null
      ? '[end]'
      : `[next_offset ${message.nextOffset} of ${message.totalCharacters}]`;
  return answer(`[message ${message.id}, ${ground.time(message.sentAt)}, ${who}]\n${message.text}\n${more}`);
}

async function expandSummaries(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const named = [...new Set([input.text('target_id') ?? '', ...input.texts('summary_ids')])];
  const ids = named.flatMap((text) => /\bsum_[0-9a-f]{6,64}\b/.exec(text)?.[0] ?? []);
  if (ids.length === 0) return refuse('"target_id" must be the id of a summary: sum_…');
  const scope = scopeOf(ground, input);
  const found = await Promise.all(ids.map((id) => ground.store.describe(scope, id)));
  const missing = ids.filter((_, index) => !found[index]);
  if (missing.length > 0) return refuse(notFound(missing.join(', ')));
  // A leaf has nothing under it but messages: who opens one asks for them.
  const isLeaf = found.every((summary) => summary!.kind === 'leaf');
  const expansion = new Expansion(wishOf(input, ground, isLeaf), ground);
  for (const summary of found) await expansion.open(scope, summary!);
  return answer(textOf(expansion));
}

async function expandRelated(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const query = input.text('query');
  if (query === undefined) return refuse('"query" is needed with target_type related');
  const scope = scopeOf(ground, input);
  const expansion = new Expansion(wishOf(input, ground, true), ground);
  const limit = input.whole('limit', { otherwise: 10, least: 1, most: 50 });
  const problem = await openRelated(expansion, { scope, query, limit }, ground);
  if (problem !== null) return refuse(problem);
  return expansion.blocks.length === 0 && !expansion.isTruncated
    ? answer('Nothing related was found. Try other or fewer words.')
    : answer(textOf(expansion));
}

/** Add the best hits for some words, newer ones first among equals; what was wrong with the query, or null. */
async function openRelated(
  expansion: Expansion,
  { scope, query, limit }: { scope: LcmScope; query: string; limit: number },
  { store }: ToolGround,
): Promise<string | null> {
  const found = await store.grep(scope, {
    query,
    mode: 'full_text',
    messages: true,
    summaries: true,
    limit,
    sort: 'hybrid',
  });
  if (found.kind === 'refused') return refusalWords(found);
  for (const hit of found.hits) {
    if (hit.kind === 'message') {
      const slice = { offset: 0, maxCharacters: messageCharacters };
      const message = await store.message(scope, hit.messageId, slice);
      if (message) expansion.add(expansion.messageBlock(message), `message ${message.id}`);
      continue;
    }
    const summary = await store.describe(scope, hit.summary.id);
    if (summary) expansion.add(expansion.summaryBlock(summary), summary.id);
  }
  return null;
}

export function textOf({ blocks, citedIds, tokens, isTruncated }: Expansion): string {
  const end = isTruncated
    ? '[truncated: the next part would pass the cap; open one of the ids above, or one message]'
    : '[end]';
  return [...blocks, `${end}\n[${tokens} tokens; from ${citedIds.join(', ') || 'nothing'}]`].join('\n\n');
}
