/** What the server does to text and entities after parsing: check, clean, trim. */
import { badRequest } from '../api-error.ts';
import type { Entity, FormattedText } from '../types.ts';
import { byteOffset } from './byte-offset.ts';
import { sortEntities } from './sort-entities.ts';

// Telegram drops these wherever they stand: carriage return, three combining lines and rings ...
const DROPPED = new Set([0x0d, 0x0333, 0x033f, 0x030a]);
// ... and line, paragraph and direction marks.
const FIRST_MARK = 0x2028;
const LAST_MARK = 0x202e;
const NEW_LINE = 0x0a;
const SPACE = /[ \n]/;

/**
 * Check entity positions, drop or replace unwanted characters, trim both ends and move the
 * entities along.
 *
 * returns  text may be empty; entities over white space only are gone
 * throws   ApiError 400 for positions in a surrogate pair or past the end
 */
export function cleanFormattedText(source: FormattedText): FormattedText {
  if (!source.text.isWellFormed()) throw badRequest('strings must be encoded in UTF-8');
  const present = source.entities.filter((entity) => entity.length !== 0);
  for (const entity of sortEntities(present)) checkPosition(source.text, entity);
  const cleaned = dropCharacters({ text: source.text, entities: present });
  return trim(cleaned);
}

function checkPosition(text: string, { offset, length }: Entity): void {
  const end = offset + length;
  if (offset < 0) throw badRequest(`receive an entity with incorrect offset ${offset}`);
  if (length < 0) throw badRequest(`receive an entity with incorrect length ${length}`);
  if (offset > text.length) {
    throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
  }
  if (splitsPair(text, offset)) {
    const bytes = byteOffset(text, offset + 1);
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${bytes}`);
  }
  if (end > text.length) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`,
    );
  }
  if (splitsPair(text, end)) {
    const bytes = byteOffset(text, end + 1);
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at byte offset ${bytes}`,
    );
  }
}

function splitsPair(text: string, index: number): boolean {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff;
}

function isDropped(code: number): boolean {
  return DROPPED.has(code) || (code >= FIRST_MARK && code <= LAST_MARK);
}

function dropCharacters({ text, entities }: FormattedText): FormattedText {
  const positions: number[] = [];
  let cleaned = '';
  for (let index = 0; index < text.length; index += 1) {
    positions.push(cleaned.length);
    const code = text.charCodeAt(index);
    if (isDropped(code)) continue;
    cleaned += code < 0x20 && code !== NEW_LINE ? ' ' : text.charAt(index);
  }
  positions.push(cleaned.length);
  const moved = entities.map((entity) => {
    const offset = positions[entity.offset] ?? cleaned.length;
    const end = positions[entity.offset + entity.length] ?? cleaned.length;
    return { ...entity, offset, length: end - offset };
  });
  return { text: cleaned, entities: moved };
}

function trim({ text, entities }: FormattedText): FormattedText {
  const first = text.search(/[^ \n]/);
  if (first === -1) return { text: '', entities: [] };
  let end = text.length;
  while (SPACE.test(text.charAt(end - 1))) end -= 1;
  const kept = entities.flatMap((entity) => {
    let begin = entity.offset;
    const stop = Math.min(entity.offset + entity.length, end);
    while (begin < stop && SPACE.test(text.charAt(begin))) begin += 1;
    return begin < stop ? [{ ...entity, offset: begin - first, length: stop - begin }] : [];
  });
  return { text: text.slice(first, end), entities: sortEntities(kept) };
}
