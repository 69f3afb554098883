/** Character references inside HTML text. */

const REFERENCE = /^&(?:#x([\da-fA-F]*)|#(\d*)|([a-zA-Z]+));?/;
const NAMED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
]);
// The server reads at most nine characters of a numeric reference, without the semicolon.
const LONGEST_NUMERIC = 9;
const LONGEST_LOOK = 32;

/** A decoded character and the index after its reference. */
export interface HtmlCharacter {
  readonly character: string;
  readonly end: number;
}

/** Decode the reference that begins at `index`; undefined if it is none, then the & stands for itself. */
export function readHtmlCharacter(source: string, index: number): HtmlCharacter | undefined {
  const match = REFERENCE.exec(source.slice(index, index + LONGEST_LOOK));
  if (!match) return undefined;
  const [whole, hex, decimal, name] = match;
  const end = index + whole.length;
  if (name !== undefined) {
    const character = NAMED.get(name);
    return character === undefined ? undefined : { character, end };
  }
  const code = hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16);
  const length = whole.endsWith(';') ? whole.length - 1 : whole.length;
  if (!(code > 0 && code < 0x10ffff) || length > LONGEST_NUMERIC) return undefined;
  return { character: String.fromCodePoint(code), end };
}
