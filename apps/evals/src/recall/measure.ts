/** What of a compacted conversation the prompt still holds, and what one search brings back. */
import { estimateTokens, type NewRow, saidInParts } from '@palimpsest/core';
import { percentile, rounded } from '../bench/figures.ts';
import { timeOf } from '../bench/time-of.ts';
import type { Conversation, Question } from './conversation.ts';
import { findIdentifiers, type IdentifierKind, identifierKinds, sample } from './identifiers.ts';
import { type RecallWorld, textsOf } from './recall-world.ts';

export interface Survival {
  /** Different ones that were asked for. */
  total: number;
  in_prompt: number;
  /** Of the newest rows alone, as many tokens as the prompt has. */
  in_plain_tail: number;
  by_search: number;
}

export interface RecallFigures {
  questions: number;
  evidence_in_prompt: number;
  reachable_by_one_search: number;
  reachable_by_lcm_grep: number;
  /** Of the questions whose evidence the prompt does not hold: those that one search answers by itself. */
  archived_reachable_by_one_search: number;
  /** Of all lines of evidence, not of the questions. */
  evidence_by_one_search: number;
  identifiers: Readonly<Record<IdentifierKind, Survival>>;
  tokens_before: number;
  tokens_retained: number;
  compactions: number;
  search_p50_ms: number;
  search_p95_ms: number;
}

export interface MeasureWish {
  /** Tokens of one answer of a search. */
  budgetTokens: number;
  /** Of a kind, at most. */
  identifiers: number;
}

/** Hits of one search. */
const limit = 10;

export async function measureRecall(
  world: RecallWorld,
  { exchanges, questions }: Conversation,
  wish: MeasureWish,
): Promise<RecallFigures> {
  const rows = exchanges.flat();
  const prompt = textsOf(await world.prompt()).join('\n');
  const times: number[] = [];
  const search = async (query: string): Promise<string> => {
    let text = '';
    times.push(
      await timeOf(async () => {
        text = await world.call('session_search', { query, limit, max_tokens: wish.budgetTokens });
      }),
    );
    return text;
  };
  const answered: Answered[] = [];
  for (const question of questions) answered.push(await ask(question, { prompt, search, world, wish }));
  const retained = estimateTokens(prompt);
  const before = rows.reduce((sum, row) => sum + row.tokens, 0);
  const identifiers = await survivals(rows, {
    prompt,
    search,
    tail: plainTail(rows, retained),
    most: wish.identifiers,
  });
  return {
    ...sharesOf(answered),
    identifiers,
    tokens_before: before,
    tokens_retained: retained,
    compactions: world.compactions,
    search_p50_ms: rounded(percentile(times, 0.5)),
    search_p95_ms: rounded(percentile(times, 0.95)),
  };
}

/** Lines of evidence of one question: how many there are, and how many are where. */
interface Answered {
  lines: number;
  inPrompt: number;
  bySearch: number;
  inEither: number;
  byGrep: number;
}

interface Ground {
  prompt: string;
  search(query: string): Promise<string>;
  world: RecallWorld;
  wish: MeasureWish;
}

async function ask({ question, evidence }: Question, ground: Ground): Promise<Answered> {
  const found = flat(await ground.search(question));
  const grepped = flat(
    cutTo(await ground.world.call('lcm_grep', { query: question, limit }), ground.wish.budgetTokens),
  );
  const prompt = flat(ground.prompt);
  const texts = evidence.map(flat);
  const count = (isThere: (text: string) => boolean): number => texts.filter(isThere).length;
  return {
    lines: texts.length,
    inPrompt: count((text) => prompt.includes(text)),
    bySearch: count((text) => found.includes(text)),
    inEither: count((text) => found.includes(text) || prompt.includes(text)),
    // A hit of it is cut to 200 characters wherever they are; the message can be opened by its number.
    byGrep: count((text) => prompt.includes(text) || hasSnippetOf(grepped, text)),
  };
}

function sharesOf(answered: readonly Answered[]) {
  const share = (of: readonly Answered[], is: (one: Answered) => boolean): number =>
    ratio(of.filter(is).length, of.length);
  const archived = answered.filter(({ inPrompt }) => inPrompt === 0);
  const sum = (of: (one: Answered) => number): number => answered.reduce((total, one) => total + of(one), 0);
  return {
    questions: answered.length,
    evidence_in_prompt: ratio(
      sum(({ inPrompt }) => inPrompt),
      sum(({ lines }) => lines),
    ),
    reachable_by_one_search: share(answered, ({ inEither }) => inEither > 0),
    reachable_by_lcm_grep: share(answered, ({ byGrep }) => byGrep > 0),
    archived_reachable_by_one_search: share(archived, ({ bySearch }) => bySearch > 0),
    evidence_by_one_search: ratio(
      sum(({ inEither }) => inEither),
      sum(({ lines }) => lines),
    ),
  };
}

async function survivals(
  rows: readonly NewRow[],
  wish: { prompt: string; tail: string; most: number; search(query: string): Promise<string> },
): Promise<Readonly<Record<IdentifierKind, Survival>>> {
  const all = findIdentifiers(rows.map(({ parts }) => saidInParts(parts)));
  const kinds: [IdentifierKind, Survival][] = [];
  for (const kind of identifierKinds) {
    const asked = sample(all[kind], wish.most);
    let bySearch = 0;
    for (const identifier of asked)
      // Search leaves out what the prompt holds: the model has it before its eyes.
      if ((await wish.search(identifier)).includes(identifier) || wish.prompt.includes(identifier))
        bySearch += 1;
    kinds.push([
      kind,
      {
        total: asked.length,
        in_prompt: asked.filter((identifier) => wish.prompt.includes(identifier)).length,
        in_plain_tail: asked.filter((identifier) => wish.tail.includes(identifier)).length,
        by_search: bySearch,
      },
    ]);
  }
  return Object.fromEntries(kinds) as Record<IdentifierKind, Survival>;
}

/** The newest rows that have no more tokens than this together. */
function plainTail(rows: readonly NewRow[], tokens: number): string {
  const texts: string[] = [];
  let left = tokens;
  for (const row of rows.toReversed()) {
    left -= row.tokens;
    if (left < 0) break;
    texts.unshift(saidInParts(row.parts));
  }
  return texts.join('\n');
}

function hasSnippetOf(grepped: string, text: string): boolean {
  return grepped.split('message ').some((hit) => {
    const snippet = /^\d+.*?\[.*?\] [^:]*: (.*)$/.exec(hit)?.[1]?.trim().replace(/…$/, '') ?? '';
    return snippet.length >= 20 && text.includes(snippet.slice(0, 150));
  });
}

/** One space between words: a line of an answer may be broken elsewhere. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function cutTo(text: string, tokens: number): string {
  let cut = text;
  while (estimateTokens(cut) > tokens) cut = cut.slice(0, cut.lastIndexOf('\n'));
  return cut;
}

function ratio(part: number, all: number): number {
  return all === 0 ? 0 : Number((part / all).toFixed(4));
}
