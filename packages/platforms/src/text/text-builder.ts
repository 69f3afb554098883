import type { Span, Style, StyledText } from './styled-text.ts';

/** Collects text and spans. `indent` stands at the beginning of every further line, for what belongs to a list entry. */
export class TextBuilder {
  indent = '';
  #text = '';
  readonly #spans: Span[] = [];

  /** Line breaks are followed by the indentation. */
  write(text: string): void {
    this.#text += this.indent === '' ? text : text.replaceAll('\n', `\n${this.indent}`);
  }

  /** As it is, without indentation. */
  writeRaw(text: string): void {
    this.#text += text;
  }

  /** Whether something stands in the line already. */
  get isInLine(): boolean {
    return this.#text !== '' && !this.#text.endsWith('\n');
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** Everything that `fill` writes has this style. */
  styled(style: Style, fill: () => void): void {
    const place = this.#spans.length;
    const start = this.#text.length;
    fill();
    const end = this.#text.length;
    if (start < end) this.#spans.splice(place, 0, { ...style, start, end });
  }

  build(): StyledText {
    return { text: this.#text, spans: this.#spans };
  }
}
