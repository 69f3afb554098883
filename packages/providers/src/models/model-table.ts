import type { ModelPrice } from '@palimpsest/core';

import { families } from './families.ts';

export interface ModelFacts {
  /** What binds opaque items: the family without size or grade, or the cleaned name of a model we do not know. */
  family: string;
  /** Who made it; null: not known. */
  maker: string | null;
  windowTokens: number;
  maxOutputTokens: number;
  cacheMinimumTokens: number | null;
  price: ModelPrice | null;
  source: 'table' | 'default';
}

/** Window of a model that nothing is known of. */
const unknownWindowTokens = 128_000;
/** Sizes and grades within a family: they differ in price and understand each other's opaque items. */
const grades = /(-(sol|terra|luna|astra|cyber|pro|mini|nano))+$/;
/** Servers refuse an answer limit over the model's own; small is safe. */
const unknownMaxOutputTokens = 8_192;

/**
 * What is known of a model, by the longest family key that begins its name, else the longest one inside it.
 *
 * name     as the provider spells it: `anthropic/claude-sonnet-4.6`, `us.anthropic.claude-opus-5-v1`, `llama3.1:8b`
 * returns  never fails; an unknown name gets 128,000 with source `default`
 */
export function modelFacts(name: string): ModelFacts {
  const cleaned = cleanName(name);
  const family = longestMatch(cleaned, (at) => at === 0) ?? longestMatch(cleaned, (at) => at > 0);
  if (family) {
    const { key, ...facts } = family;
    return { family: key.replace(grades, ''), ...facts, source: 'table' };
  }
  return {
    family: cleaned,
    maker: null,
    windowTokens: unknownWindowTokens,
    maxOutputTokens: unknownMaxOutputTokens,
    cacheMinimumTokens: null,
    price: null,
    source: 'default',
  };
}

/** Families of makers whose models take pictures, and do not themselves. */
const blindFamilies: ReadonlySet<string> = new Set(['gpt-4', 'gpt-oss', 'gpt-5-3-codex-spark']);

/** Whether pictures may be sent; of makers with models of both kinds nothing is taken for granted. */
export function takesImages({ maker, family }: ModelFacts): boolean {
  return (maker === 'Anthropic' || maker === 'OpenAI' || maker === 'Google') && !blindFamilies.has(family);
}

/** Claude, whoever serves it. */
export function isClaude(name: string): boolean {
  return /(^|[^a-z])claude/.test(name.toLowerCase());
}

/** Without vendor and variant, lower case, dots as dashes; `llama3.1` becomes `llama-3-1` as others spell it. */
function cleanName(name: string): string {
  const withoutVendor = name.toLowerCase().replace(/^~?.*\//, '');
  const withoutVariant = withoutVendor.replace(/:.*$/, '');
  return withoutVariant.replaceAll(/[._]/g, '-').replace(/^(llama|gemma)(\d)/, '$1-$2');
}

function longestMatch(name: string, allowed: (at: number) => boolean): (typeof families)[number] | undefined {
  let best: (typeof families)[number] | undefined;
  for (const family of families) {
    const at = name.indexOf(family.key);
    if (at < 0 || !allowed(at) || !isWhole(name, at, family.key.length)) continue;
    if (!best || family.key.length > best.key.length) best = family;
  }
  return best;
}

/** `gpt-5-2` must not be found in `gpt-5-2025-08-07`, nor `o1` in `foo1`. */
function isWhole(name: string, at: number, length: number): boolean {
  const before = name.charAt(at - 1);
  const after = name.charAt(at + length);
  return (at === 0 || !/[a-z0-9]/.test(before)) && !/[a-z0-9]/.test(after);
}
