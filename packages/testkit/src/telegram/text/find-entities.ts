/** Entities that Telegram finds by itself: commands, mentions, hashtags, links. */
import type { Entity } from '../types.ts';

// In order of precedence where two would overlap.
const PATTERNS: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['url', /\bhttps?:\/\/[^\s<>"]*[^\s<>".,!?:;')\]]/giu],
  ['email', /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu],
  ['bot_command', /(?<![\w/<>])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/<>@])/gu],
  ['mention', /(?<![\w@])@[A-Za-z0-9_]{3,32}(?!\w)/gu],
  ['hashtag', /(?<![\p{L}\p{N}_&/])#(?=[\p{N}_]*\p{L})[\p{L}\p{N}_]{1,256}/gu],
];

/** Find them in plain text; in order of place, none overlaps another. */
export function findEntities(text: string): Entity[] {
  const found: Entity[] = [];
  for (const [type, pattern] of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length };
      if (!found.some((other) => overlap(other, entity))) found.push(entity);
    }
  }
  return found.toSorted((a, b) => a.offset - b.offset);
}

/** True if two entities share at least one character. */
export function overlap(a: Entity, b: Entity): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}
