/** parse_mode HTML: text + entities, or the refusal of the server. */
import { cannotParse } from '../api-error.ts';
import type { Entity, FormattedText } from '../types.ts';
import { byteOffset } from './byte-offset.ts';
import { linkEntity } from './checked-link.ts';
import { readHtmlCharacter } from './html-character.ts';
import { readEndTag, readStartTag } from './read-html-tag.ts';
import { sortEntities } from './sort-entities.ts';

const PLAIN = new Map([
  ['b', 'bold'],
  ['strong', 'bold'],
  ['i', 'italic'],
  ['em', 'italic'],
  ['u', 'underline'],
  ['ins', 'underline'],
  ['s', 'strikethrough'],
  ['strike', 'strikethrough'],
  ['del', 'strikethrough'],
  ['span', 'spoiler'],
  ['tg-spoiler', 'spoiler'],
]);

/** Parse HTML as the server does; throws ApiError 400 with byte offsets. */
export function parseHtml(source: string): FormattedText {
  return new HtmlReader(source).read();
}

interface OpenTag {
  readonly name: string;
  readonly argument: string;
  readonly offset: number;
}

class HtmlReader {
  readonly #source: string;
  readonly #open: OpenTag[] = [];
  #entities: Entity[] = [];
  #text = '';
  #index = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): FormattedText {
    while (this.#index < this.#source.length) this.#step();
    const left = this.#open.at(-1);
    if (left) throw cannotParse(`Can't find end tag corresponding to start tag "${left.name}"`);
    if (!this.#text.isWellFormed()) {
      throw cannotParse(
        'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
      );
    }
    // A language counts only for code inside pre.
    const entities = this.#entities.map((entity) =>
      entity.type === 'code' ? { type: 'code', offset: entity.offset, length: entity.length } : entity,
    );
    return { text: this.#text, entities: sortEntities(entities) };
  }

  #step(): void {
    const character = this.#source[this.#index];
    if (character === '<') return this.#readTag();
    const decoded = readHtmlCharacter(this.#source, this.#index);
    this.#text += decoded?.character ?? character;
    this.#index = decoded?.end ?? this.#index + 1;
  }

  #readTag(): void {
    if (this.#source[this.#index + 1] === '/') return this.#close();
    const tag = readStartTag(this.#source, this.#index);
    this.#open.push({ name: tag.name, argument: tag.argument, offset: this.#text.length });
    this.#index = tag.end;
  }

  #close(): void {
    const offset = byteOffset(this.#source, this.#index);
    const open = this.#open.pop();
    if (!open) throw cannotParse(`Unexpected end tag at byte offset ${offset}`);
    const tag = readEndTag(this.#source, this.#index);
    if (tag.name !== '' && tag.name !== open.name) {
      throw cannotParse(
        `Unmatched end tag at byte offset ${offset}, expected "</${open.name}>", found "</${tag.name}>"`,
      );
    }
    this.#index = tag.end;
    if (this.#text.length > open.offset) this.#add(open);
  }

  #add(open: OpenTag): void {
    const length = this.#text.length - open.offset;
    const plain = PLAIN.get(open.name);
    const entity = plain ? { type: plain, offset: open.offset, length } : this.#special(open, length);
    if (entity) this.#entities.push(entity);
  }

  #special(open: OpenTag, length: number): Entity | undefined {
    const { offset, argument } = open;
    switch (open.name) {
      case 'a':
        return linkEntity(argument === '' ? this.#text.slice(offset) : argument, offset, length);
      case 'blockquote':
        return { type: argument === '' ? 'blockquote' : 'expandable_blockquote', offset, length };
      case 'tg-emoji':
        if (!/^-?[1-9]\d*$/.test(argument)) throw cannotParse('Invalid custom emoji identifier specified');
        return { type: 'custom_emoji', offset, length, custom_emoji_id: argument };
      case 'pre':
      case 'code':
        return this.#code(open, length);
      default:
        return undefined;
    }
  }

  /** <pre><code class="language-x"> becomes one pre entity with a language, in either nesting. */
  #code(open: OpenTag, length: number): Entity {
    const { offset, argument } = open;
    const inner = this.#entities.at(-1);
    const same = inner?.offset === offset && inner.length === length;
    if (inner && same && open.name === 'pre' && inner.type === 'code' && inner.language) {
      this.#entities.pop();
      return { ...inner, type: 'pre' };
    }
    if (inner && same && open.name === 'code' && inner.type === 'pre' && argument !== '') {
      this.#entities.pop();
      return { ...inner, language: argument };
    }
    return { type: open.name, offset, length, ...(argument !== '' && { language: argument }) };
  }
}
