/** Reads one start or end tag with the wordings of the server. */
import { cannotParse } from '../api-error.ts';
import { byteOffset } from './byte-offset.ts';
import { readHtmlCharacter } from './html-character.ts';

const TAGS = new Set(
  'a b strong i em s strike del u ins tg-spoiler tg-emoji tg-time span pre code blockquote'.split(' '),
);

/** A start tag: its name, the one attribute that matters, and the index after it. */
export interface StartTag {
  readonly name: string;
  readonly argument: string;
  readonly end: number;
}

/** An end tag; the name may be empty, which closes whatever is open. */
export interface EndTag {
  readonly name: string;
  readonly end: number;
}

/** Read the end tag whose < stands at `begin`. */
export function readEndTag(source: string, begin: number): EndTag {
  const match = /^<\/([^\s>]*)\s*>/.exec(source.slice(begin));
  if (!match) throw cannotParse(`Unclosed end tag at byte offset ${byteOffset(source, begin)}`);
  return { name: (match[1] ?? '').toLowerCase(), end: begin + match[0].length };
}

/** Read the start tag whose < stands at `begin`. */
export function readStartTag(source: string, begin: number): StartTag {
  return new StartTagReader(source, begin).read();
}

class StartTagReader {
  readonly #source: string;
  readonly #offset: number;
  #index: number;
  #name = '';
  #argument = '';

  constructor(source: string, begin: number) {
    this.#source = source;
    this.#offset = byteOffset(source, begin);
    this.#index = begin + 1;
  }

  read(): StartTag {
    this.#name = this.#take(/[^\s>]*/y).toLowerCase();
    if (this.#atEnd()) throw cannotParse(`Unclosed start tag at byte offset ${this.#offset}`);
    if (!TAGS.has(this.#name)) throw this.#fault('Unsupported start tag');
    this.#take(/\s*/y);
    while (this.#source[this.#index] !== '>') {
      this.#readAttribute();
      this.#take(/\s*/y);
    }
    if (this.#name === 'span' && this.#argument !== 'spoiler') {
      throw cannotParse(`Tag "span" must have class "tg-spoiler" at byte offset ${this.#offset}`);
    }
    return { name: this.#name, argument: this.#argument, end: this.#index + 1 };
  }

  #readAttribute(): void {
    const attribute = this.#take(/[^\s=>]*/y);
    if (attribute === '') throw this.#fault('Empty attribute name in the tag');
    this.#take(/\s*/y);
    if (this.#source[this.#index] !== '=') {
      if (this.#name !== 'blockquote' || attribute !== 'expandable') {
        throw this.#fault('Expected equal sign in declaration of an attribute of the tag');
      }
      this.#argument = 'expandable';
      return;
    }
    this.#index += 1;
    this.#take(/\s*/y);
    if (this.#atEnd()) throw this.#fault('Unclosed start tag');
    this.#keep(attribute, this.#readValue());
    if (this.#atEnd()) throw cannotParse(`Unclosed start tag at byte offset ${this.#offset}`);
  }

  #readValue(): string {
    const quote = this.#source[this.#index];
    if (quote === '"' || quote === "'") return this.#readQuoted(quote);
    const begin = this.#index;
    const token = this.#take(/[a-z\d.-]*/iy).toLowerCase();
    if (!/[\s>]/.test(this.#source[this.#index] ?? '>')) {
      throw cannotParse(`Unexpected end of name token at byte offset ${byteOffset(this.#source, begin)}`);
    }
    return token;
  }

  #readQuoted(quote: string): string {
    let value = '';
    this.#index += 1;
    while (!this.#atEnd() && this.#source[this.#index] !== quote) {
      const decoded = readHtmlCharacter(this.#source, this.#index);
      value += decoded?.character ?? this.#source[this.#index];
      this.#index = decoded?.end ?? this.#index + 1;
    }
    this.#index += 1;
    return value;
  }

  #keep(attribute: string, value: string): void {
    const place = `${this.#name}.${attribute}`;
    if (place === 'a.href' || place === 'tg-emoji.emoji-id') this.#argument = value;
    if (place === 'code.class' && value.startsWith('language-')) this.#argument = value.slice(9);
    if (place === 'span.class' && value.startsWith('tg-')) this.#argument = value.slice(3);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#index;
    const found = pattern.exec(this.#source)?.[0] ?? '';
    this.#index += found.length;
    return found;
  }

  #atEnd(): boolean {
    return this.#index >= this.#source.length;
  }

  #fault(what: string): Error {
    return cannotParse(`${what} "${this.#name}" at byte offset ${this.#offset}`);
  }
}
