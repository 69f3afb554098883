/** What Discord's clients make of a message: the patterns of their renderer, in its order, so that tests read as people do. */

export interface ReadDiscord {
  /** What is seen, bullets as "•", marks gone. */
  text: string;
  /** Styles in the order they begin, with the text each one covers. */
  styles: { kind: string; text: string }[];
}

const codeBlock = /^```(?:([\w+\-.#]+?)\n)?\n*([^\n][^]*?)\n*```/;
const listMark = /^( *)([*-]|\d+\.) /;
const inlineRules: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['escape', /^\\([^0-9A-Za-z\s])/],
  ['link', /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?https?:\/\/[^\s)>]+>?\s*\)/],
  ['address', /^<(https?:\/\/[^ >]+)>/],
  ['address', /^(https?:\/\/[^\s<]+[^<.,:;"')\]\s])/],
  ['bold', /^\*\*((?:\\[^]|[^\\])+?)\*\*(?!\*)/],
  ['underline', /^__((?:\\[^]|[^\\])+?)__(?!_)/],
  ['italic', /^_((?:__|\\[^]|[^\\_])+?)_\b(?!_)|^_((?:__|\\[^]|[^\\_])+?)_(?!\w)/],
  ['italic', /^\*(?=\S)((?:\*\*|\s+(?:[^*\s]|\*\*)|[^\s*])+?)\*(?!\*)/],
  ['strikethrough', /^~~([^]+?)~~(?!_)/],
  ['code', /^(?:(`+)([^]*?[^`])\1(?!`))/],
  ['spoiler', /^\|\|([^]+?)\|\|/],
  ['mention', /^<(?:@[!&]?|#)\d+>/],
  ['moment', /^<t:-?\d+(?::[tTdDfFR])?>/],
  ['emoji', /^<a?:\w{2,}:\d+>/],
];

/** Read one message; `isLineStart` false for what stands inside of marks. */
export function readDiscord(message: string, isLineStart = true): ReadDiscord {
  const read: ReadDiscord = { text: '', styles: [] };
  let rest = message;
  let atStart = isLineStart;
  while (rest !== '') {
    const length = (atStart && readBlockMark(rest, read)) || readInline(rest, read);
    atStart = isLineStart && rest[length - 1] === '\n';
    rest = rest.slice(length);
  }
  return read;
}

function readBlockMark(rest: string, read: ReadDiscord): number {
  const quote = /^> /.exec(rest);
  if (quote) return quoted(rest, read);
  const heading = /^(?:#{1,3}|-#) +(?=\S)/.exec(rest);
  if (heading) {
    const line = rest.split('\n', 1)[0]!;
    styled('heading', line.slice(heading[0].length), read);
    return line.length;
  }
  const item = listMark.exec(rest);
  if (!item) return 0;
  read.text += `${item[1]}${/\d/.test(item[2]!) ? item[2] : '•'} `;
  return item[0].length;
}

/** Lines that begin with "> " are one quote with a text of its own. */
function quoted(rest: string, read: ReadDiscord): number {
  const [lines] = /^(?:> [^\n]*(?:\n|$))+/.exec(rest)!;
  const inner = readDiscord(lines.replaceAll(/^> /gm, ''));
  read.styles.push({ kind: 'quote', text: inner.text.trimEnd() }, ...inner.styles);
  read.text += inner.text;
  return lines.length;
}

function readInline(rest: string, read: ReadDiscord): number {
  const block = codeBlock.exec(rest);
  if (block) {
    read.styles.push({ kind: `pre ${block[1] ?? ''}`.trim(), text: block[2]! });
    read.text += block[2]!;
    return block[0].length;
  }
  for (const [kind, pattern] of inlineRules) {
    const found = pattern.exec(rest);
    if (!found) continue;
    take(kind, found, read);
    return found[0].length;
  }
  read.text += rest[0];
  return 1;
}

function take(kind: string, found: RegExpExecArray, read: ReadDiscord): void {
  if (kind === 'escape' || kind === 'address') {
    read.text += found[1];
  } else if (kind === 'code') {
    const code = found[2]!.replaceAll(/^ (?= *`)|(` *) $/g, '$1');
    read.styles.push({ kind, text: code });
    read.text += code;
  } else if (found[1] === undefined && found[2] === undefined) {
    read.text += `[${kind}]`;
  } else {
    styled(kind, found[1] ?? found[2]!, read);
  }
}

function styled(kind: string, source: string, read: ReadDiscord): void {
  const inner = readDiscord(source, false);
  read.styles.push({ kind, text: inner.text }, ...inner.styles);
  read.text += inner.text;
}
