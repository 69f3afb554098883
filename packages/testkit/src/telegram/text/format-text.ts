/** From the parameters of a call to the text that people see: parse → clean → find → count. */
import { badRequest } from '../api-error.ts';
import type { Entity, FormattedText } from '../types.ts';
import { cleanFormattedText } from './clean-formatted-text.ts';
import { findEntities, overlap } from './find-entities.ts';
import { parseHtml } from './parse-html.ts';
import { parseMarkdownV2 } from './parse-markdown-v2.ts';
import { sortEntities } from './sort-entities.ts';

// The server keeps the first hundred entities and drops the rest in silence.
const KEPT_ENTITIES = 100;
// Inside these nothing further is found.
const CLOSED = new Set(['code', 'pre', 'text_link', 'text_mention', 'custom_emoji']);
const TYPES = new Set(
  (
    'mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler ' +
    'blockquote expandable_blockquote code pre text_link text_mention custom_emoji date_time'
  ).split(' '),
);

/** Text as it stands in a call. */
export interface TextSource {
  readonly text: string;
  readonly parseMode?: string;
  readonly entities?: readonly Entity[];
}

/** Parse, clean and trim; throws ApiError 400. The text may come out empty. */
export function formatText(source: TextSource): FormattedText {
  const cleaned = cleanFormattedText(parse(source));
  const found = findEntities(cleaned.text).filter(
    (entity) => !cleaned.entities.some((other) => CLOSED.has(other.type) && overlap(other, entity)),
  );
  const own = cleaned.entities.filter((entity) => !found.some((other) => sameStretch(other, entity)));
  return { text: cleaned.text, entities: sortEntities([...own, ...found]).slice(0, KEPT_ENTITIES) };
}

/** Length for the limits of 4096 and 1024: code points (measured live). */
export function countCharacters(text: string): number {
  return [...text].length;
}

function parse({ text, parseMode, entities }: TextSource): FormattedText {
  switch (parseMode?.toLowerCase() ?? '') {
    case '':
      for (const entity of entities ?? []) checkType(entity);
      return { text, entities: [...(entities ?? [])] };
    case 'html':
      return parseHtml(text);
    case 'markdownv2':
      return parseMarkdownV2(text);
    default:
      throw badRequest('unsupported parse_mode');
  }
}

function checkType(entity: Entity): void {
  if (!TYPES.has(entity.type)) throw badRequest("can't parse entities: unsupported entity type");
}

function sameStretch(a: Entity, b: Entity): boolean {
  return a.type === b.type && a.offset === b.offset && a.length === b.length;
}
