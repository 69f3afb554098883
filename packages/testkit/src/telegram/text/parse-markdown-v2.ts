/** parse_mode MarkdownV2: text + entities, or the refusal of the server. */
import { cannotParse } from '../api-error.ts';
import type { Entity, FormattedText } from '../types.ts';
import { byteOffset } from './byte-offset.ts';
import { linkEntity } from './checked-link.ts';
import { sortEntities } from './sort-entities.ts';

const RESERVED = '_*[]()~`>#+-=|{}.!\n';
// Names of kinds as they stand in the server's messages → type of the entity.
const TYPES = {
  Bold: 'bold',
  Italic: 'italic',
  Underline: 'underline',
  Strikethrough: 'strikethrough',
  Spoiler: 'spoiler',
  Code: 'code',
  Pre: 'pre',
  PreCode: 'pre',
  TextUrl: 'text_link',
  CustomEmoji: 'custom_emoji',
  BlockQuote: 'blockquote',
} as const;
type Kind = keyof typeof TYPES;
const ENDINGS: Partial<Record<Kind, string>> = {
  Bold: '*',
  Underline: '__',
  Strikethrough: '~',
  Spoiler: '||',
  Code: '`',
  Pre: '```',
  PreCode: '```',
  TextUrl: ']',
  CustomEmoji: ']',
};

/** Parse MarkdownV2 as the server does; throws ApiError 400 with byte offsets. */
export function parseMarkdownV2(source: string): FormattedText {
  return new MarkdownReader(source).read();
}

interface OpenEntity {
  readonly kind: Kind;
  readonly language: string;
  readonly offset: number;
  readonly begin: number;
}

class MarkdownReader {
  readonly #source: string;
  readonly #open: OpenEntity[] = [];
  readonly #entities: Entity[] = [];
  #text = '';
  #index = 0;
  #inQuote = false;

  constructor(source: string) {
    this.#source = source;
  }

  read(): FormattedText {
    while (this.#index < this.#source.length) this.#step();
    if (this.#open.at(-1)?.kind === 'BlockQuote') this.#endQuote(this.#open.pop());
    const left = this.#open.at(-1);
    if (left) throw this.#unfinished(left);
    return { text: this.#text, entities: sortEntities(this.#entities) };
  }

  #step(): void {
    const character = this.#source[this.#index] ?? '';
    const inCode = /^(Code|Pre|PreCode)$/.test(this.#open.at(-1)?.kind ?? '');
    const escaped =
      character === '\\' ? /^[!-~\s]/.exec(this.#source.slice(this.#index + 1, this.#index + 2)) : null;
    if (escaped) return this.#copy(escaped[0], 2);
    if (!(inCode ? '`' : RESERVED).includes(character)) return this.#copy(character, 1);
    const top = this.#open.at(-1);
    if (top && this.#endsHere(top, character)) return this.#close(top);
    this.#begin(character);
  }

  #copy(character: string, width: number): void {
    this.#text += character;
    this.#index += width;
  }

  #at(marker: string): boolean {
    return this.#source.startsWith(marker, this.#index);
  }

  #endsHere(top: OpenEntity, character: string): boolean {
    if (this.#inQuote && character === '\n') return this.#source[this.#index + 1] !== '>';
    if (top.kind === 'Italic') return this.#at('_') && !this.#at('__');
    const ending = ENDINGS[top.kind];
    return ending !== undefined && this.#at(ending);
  }

  #begin(character: string): void {
    switch (character) {
      case '_':
        return this.#at('__') ? this.#push('Underline', 2) : this.#push('Italic', 1);
      case '*':
        return this.#push('Bold', 1);
      case '~':
        return this.#push('Strikethrough', 1);
      case '[':
        return this.#push('TextUrl', 1);
      case '`':
        return this.#at('```') ? this.#pushPre() : this.#push('Code', 1);
      case '\n':
        return this.#newLine();
      case '>':
        if (this.#mayQuote()) return this.#pushQuote();
        break;
      case '|':
        if (this.#endsExpandable()) return this.#markExpandable();
        if (this.#at('||')) return this.#push('Spoiler', 2);
        break;
      case '!':
        if (this.#at('![')) return this.#push('CustomEmoji', 2);
        break;
      default:
    }
    throw cannotParse(`Character '${character}' is reserved and must be escaped with the preceding '\\'`);
  }

  #push(kind: Kind, width: number, language = ''): void {
    this.#open.push({ kind, language, offset: this.#text.length, begin: this.#index });
    this.#index += width;
  }

  #pushPre(): void {
    const rest = this.#source.slice(this.#index + 3);
    const language = /^[^\s`]+(?=\s)/.exec(rest)?.[0] ?? '';
    const newLine = /^(\r\n|\n\r|\n|\r)?/.exec(rest.slice(language.length))?.[0] ?? '';
    this.#push(language === '' ? 'Pre' : 'PreCode', 3 + language.length + newLine.length, language);
  }

  #newLine(): void {
    this.#copy('\n', 1);
    if (this.#source[this.#index] !== '>') return;
    if (this.#inQuote) this.#index += 1;
    else this.#pushQuote();
  }

  /** Quotes begin at the start, or after an empty bold that parts two quotes (`**>`). */
  #mayQuote(): boolean {
    return !this.#inQuote && (this.#text === '' || this.#text.endsWith('\n'));
  }

  #pushQuote(): void {
    this.#push('BlockQuote', 1);
    this.#inQuote = true;
  }

  #endsExpandable(): boolean {
    if (this.#open.at(-1)?.kind !== 'BlockQuote') return false;
    return /^\|\|(\n(?!>)|$)/.test(this.#source.slice(this.#index));
  }

  #markExpandable(): void {
    this.#index += 2;
    const quote = this.#open.pop();
    if (this.#index < this.#source.length) this.#copy('\n', 1);
    this.#endQuote(quote, 'expandable_blockquote');
  }

  #endQuote(quote: OpenEntity | undefined, type = 'blockquote'): void {
    this.#inQuote = false;
    const length = this.#text.length - (quote?.offset ?? 0);
    if (quote && length > 0) this.#entities.push({ type, offset: quote.offset, length });
  }

  #close(top: OpenEntity): void {
    if (this.#at('\n')) {
      if (top.kind !== 'BlockQuote') throw this.#unfinished(top);
      this.#copy('\n', 1);
      return this.#endQuote(this.#open.pop());
    }
    this.#open.pop();
    this.#index += (ENDINGS[top.kind] ?? '_').length;
    const length = this.#text.length - top.offset;
    const entity = this.#makeEntity(top, length);
    if (entity && length > 0) this.#entities.push(entity);
  }

  #makeEntity(top: OpenEntity, length: number): Entity | undefined {
    const { kind, offset, language } = top;
    if (kind === 'TextUrl')
      return linkEntity(this.#readUrl('a URL') ?? this.#text.slice(offset), offset, length);
    if (kind === 'CustomEmoji') return this.#customEmoji(offset, length);
    return { type: TYPES[kind], offset, length, ...(language !== '' && { language }) };
  }

  #customEmoji(offset: number, length: number): Entity {
    const url = this.#readUrl('a custom emoji URL');
    if (url === undefined) throw cannotParse('Custom emoji entity must contain a tg://emoji URL');
    const id = /^tg:\/\/emoji\/?\?id=(\d+)$/i.exec(url)?.[1];
    if (id === undefined) throw cannotParse('Custom emoji URL must have an emoji identifier');
    return { type: 'custom_emoji', offset, length, custom_emoji_id: id };
  }

  #readUrl(what: string): string | undefined {
    if (!this.#at('(')) return undefined;
    const begin = this.#index + 1;
    const match = /^((?:\\[!-~\s]|[^)])*)\)/.exec(this.#source.slice(begin));
    if (!match)
      throw cannotParse(`Can't find end of ${what} at byte offset ${byteOffset(this.#source, begin)}`);
    this.#index = begin + match[0].length;
    return (match[1] ?? '').replace(/\\([!-~\s])/g, '$1');
  }

  #unfinished(open: OpenEntity): Error {
    const offset = byteOffset(this.#source, open.begin);
    return cannotParse(`Can't find end of ${open.kind} entity at byte offset ${offset}`);
  }
}
