import { Document, isCollection, isMap, isPair, isScalar, parseDocument, Scalar, type Node } from 'yaml';
import { GatewayError } from '../errors.ts';
import { configPath } from './allowed-values.ts';
import { parseConfig, type ParseConfigOptions } from './parse-config.ts';

/** What is to stand where; `value` is YAML: `false`, `0.4`, `"5"`, `[1, 2]`. */
interface ConfigChange {
  key: string;
  value: string;
}

const reading = { intAsBigInt: true, resolveKnownTags: false, logLevel: 'error' } as const;

/**
 * The config text with one value changed, every other byte as it was: comments, order, blanks. A key that is not there
 * yet goes to the end of its section. Only a value inside of brackets makes the file be written anew, comments kept.
 * throws config_invalid when the text is no YAML or the result is no config; `file` is only for messages
 */
export function setConfigValue(
  text: string,
  { key, value }: ConfigChange,
  { file, ...options }: ParseConfigOptions & { file: string },
): string {
  const path = configPath(key);
  if (path.length === 0 || path.includes(''))
    throw new GatewayError('config_invalid', `${JSON.stringify(key)} is no key; write it as section.key.`);
  const document = parseDocument(text, reading);
  // A text that cannot be read is refused in the words of the reader, before anything is put into it.
  if (document.errors.length > 0) parseConfig(text, file, options);
  const wish = { text, document, path, node: readValue(value, key) };
  const changed = exchanged(wish) ?? inserted(wish) ?? writtenAnew(wish);
  parseConfig(changed, file, options);
  return changed;
}

interface Wish {
  text: string;
  document: Document;
  path: readonly string[];
  node: Node | null;
}

function readValue(value: string, key: string): Node | null {
  const document = parseDocument(value, reading);
  if (document.errors.length === 0) return document.contents;
  throw new GatewayError(
    'config_invalid',
    `${key}: ${JSON.stringify(value.slice(0, 60))} is no YAML value; put a text with special characters into quotes.`,
  );
}

/** The plain or quoted value of a key in a block section is exchanged in place. */
function exchanged({ text, document, path, node }: Wish): string | null {
  const old: unknown = document.getIn(path, true);
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isScalar(old) || !old.range || !isMap(parent) || parent.flow === true) return null;
  const oneLine: readonly unknown[] = [Scalar.PLAIN, Scalar.QUOTE_SINGLE, Scalar.QUOTE_DOUBLE];
  const [start, end] = old.range;
  if (!oneLine.includes(old.type) || start === end) return null;
  return text.slice(0, start) + onOneLine(node) + text.slice(end);
}

/** A key that is not there yet becomes lines of its own behind the last line of its section. */
function inserted({ text, document, path, node }: Wish): string | null {
  const place = placeFor(text, document, path);
  if (!place) return null;
  const step = indentOf(text);
  const lines = place.rest.map((name, depth) => {
    const value = depth === place.rest.length - 1 ? ` ${onOneLine(node)}` : '';
    return `${' '.repeat(place.column + depth * step)}${onOneLine(new Scalar(name))}:${value}\n`;
  });
  const before = text.slice(0, place.at);
  const border = before === '' || before.endsWith('\n') ? '' : '\n';
  return before + border + lines.join('') + text.slice(place.at);
}

interface Place {
  at: number;
  column: number;
  /** Names that are not there yet. */
  rest: readonly string[];
}

function placeFor(text: string, document: Document, path: readonly string[]): Place | null {
  let section: unknown = document.contents;
  if (section === null) return { at: text.length, column: 0, rest: path };
  for (const [depth, name] of path.entries()) {
    if (!isMap(section) || section.flow === true) return null;
    const pair = section.items.find((item) => isScalar(item.key) && String(item.key.value) === name);
    const first = section.items[0]?.key;
    if (!pair && isScalar(first) && first.range)
      return { at: endOf(section, text), column: columnOf(first.range[0], text), rest: path.slice(depth) };
    const { key, value } = pair ?? {};
    if (isScalar(value) && value.value === null && isScalar(key) && key.range && depth < path.length - 1)
      return {
        at: lineEnd(key.range[1], text),
        column: columnOf(key.range[0], text) + indentOf(text),
        rest: path.slice(depth + 1),
      };
    section = value;
  }
  return null;
}

/** Behind the last line of a node; comments below it belong to what follows. */
function endOf(node: unknown, text: string): number {
  const last: unknown = isCollection(node) && node.flow !== true ? node.items.at(-1) : undefined;
  if (isPair(last)) return endOf(last.value ?? last.key, text);
  if (last !== undefined) return endOf(last, text);
  return lineEnd((node as Node | null)?.range?.[1] ?? text.length, text);
}

function lineEnd(at: number, text: string): number {
  if (text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function columnOf(at: number, text: string): number {
  return at - (text.lastIndexOf('\n', at - 1) + 1);
}

/** Blanks of the first indented line, as its writer likes it. */
function indentOf(text: string): number {
  return /^( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
}

function onOneLine(node: Node | null): string {
  const document = new Document(node, reading);
  return document
    .toString({
      lineWidth: 0,
      collectionStyle: 'flow',
      flowCollectionPadding: false,
      blockQuote: false,
      doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    })
    .trimEnd();
}

function writtenAnew({ text, document, path, node }: Wish): string {
  try {
    document.setIn(path, node);
  } catch {
    throw new GatewayError(
      'config_invalid',
      `${path.join('.')}: what stands above it in the file is no section.`,
    );
  }
  const flowCollectionPadding = !/\{[^\s}]/.test(text);
  return document.toString({ lineWidth: 0, indent: indentOf(text), flowCollectionPadding });
}
