import { countFakeTokens, cutToTokens, wholeCharacters } from './count-tokens.ts';
import type { TokenCount } from './count-tokens.ts';
import type { FaultKind, ModelScript, ScriptRequest } from './script.ts';

/** All optional. */
export interface ScriptedSummariserOptions {
  /** Size of a summary in tokens; default 1,500. Never more than the request's own limit. */
  readonly tokenBudget?: number;
  /** Real milliseconds before the answer. */
  readonly delayMs?: number;
  /** Every n-th call fails, counted from 1. */
  readonly failEvery?: number;
  /** How it fails; default `overloaded`. */
  readonly failure?: FaultKind;
  readonly tokenCount?: TokenCount;
}

const TOKEN_BUDGET = 1500;
const HEADINGS = [
  '## Goal',
  '## Constraints & Preferences',
  '## Progress',
  '### Done',
  '### In Progress',
  '### Blocked',
  '## Key Decisions',
  '## Relevant Files',
  '## Next Steps',
  '## Critical Context',
] as const;
// Headings that hold others have no lines of their own.
const BARE_HEADING = '## Progress';
const LINE_CHARACTERS = 240;

/**
 * A "model" that writes a summary of real size: sentences taken evenly from the last user text, spread in order over
 * the usual ten headings. It knows nothing of the prompt it is given.
 */
export function scriptedSummariser(options: ScriptedSummariserOptions = {}): ModelScript {
  const count = options.tokenCount ?? countFakeTokens;
  let calls = 0;
  return (request) => {
    calls += 1;
    const delayMs = options.delayMs ?? 0;
    if (options.failEvery !== undefined && calls % options.failEvery === 0) {
      return { fault: options.failure ?? 'overloaded', delayMs };
    }
    const budget = Math.min(options.tokenBudget ?? TOKEN_BUDGET, request.maxTokens ?? Infinity);
    return { text: writeSummary(sourceText(request), budget, count), delayMs };
  };
}

function sourceText(request: ScriptRequest): string {
  return request.messages.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
}

function writeSummary(source: string, budget: number, count: TokenCount): string {
  const sections = HEADINGS.filter((heading) => heading !== BARE_HEADING);
  const framing = count(HEADINGS.map((heading) => `${heading}\n- (none)\n\n`).join(''));
  const lines = pickEvenly(sentencesOf(source), budget - framing, count);
  const share = Math.ceil(lines.length / sections.length);
  const text = HEADINGS.map((heading) => {
    if (heading === BARE_HEADING) return `${heading}\n`;
    const at = sections.indexOf(heading) * share;
    const own = lines.slice(at, at + share);
    return [heading, ...(own.length > 0 ? own : ['(none)']).map((line) => `- ${line}`), ''].join('\n');
  }).join('\n');
  return cutToTokens(text, budget, count);
}

/** Sentences and lines in order; headings, tags and scraps left out, each at most 240 characters, none twice. */
function sentencesOf(source: string): readonly string[] {
  const pieces = source
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u)
    .map((piece) => piece.replace(/^[\s\-*>]+/, '').trim())
    .filter((piece) => piece.length > 1 && !piece.startsWith('#') && !/^<[^>]*>$/.test(piece));
  return [...new Set(pieces.map((piece) => wholeCharacters(piece.slice(0, LINE_CHARACTERS))))];
}

/** As many as fit, with equal gaps between them. */
function pickEvenly(sentences: readonly string[], budget: number, count: TokenCount): readonly string[] {
  const total = sentences.reduce((sum, sentence) => sum + count(sentence) + 1, 0);
  const kept =
    total <= budget ? sentences.length : Math.floor((sentences.length * Math.max(budget, 0)) / total);
  const step = sentences.length / Math.max(kept, 1);
  return Array.from({ length: kept }, (_, at) => sentences[Math.floor(at * step)] ?? '');
}
