/*
 * One line that stands for an old tool result: what was called with what, and how it came out. The whole text stays in
 * the archived row.
 */
import { cut, oneLine } from './one-line.ts';

export interface ToolCallText {
  name: string;
  /** JSON as the model wrote it; may be invalid. */
  arguments: string;
}

type Input = Readonly<Record<string, unknown>>;

interface Kind {
  names: RegExp;
  describe(call: { name: string; input: Input }, result: string): string;
}

const stubStart = '[Old result: ';
const duplicateText = '[Old result: the same as a newer result of this tool, which stands below]';
/** An answer of the person this short stays whole. */
const shortAnswerChars = 200;

/** One of these words in a tool's name, be it `read_file`, `ReadFile` or `fs.read`. */
function named(...words: readonly string[]): RegExp {
  return new RegExp(`(?:^|_)(?:${words.join('|')})(?:_|$)`);
}

/** In order: the first whose names fit describes the call. */
const kinds: readonly Kind[] = [
  {
    names: named('clarify', 'ask', 'question'),
    describe: ({ input }, result) =>
      `asked ${quote(of(input, 'question', 'prompt', 'text'), 80)}${result.length < shortAnswerChars ? `, answered ${quote(result, shortAnswerChars)}` : ''}`,
  },
  {
    names: named('skills?'),
    describe: ({ name, input }, result) =>
      `${name} ${quote(of(input, 'name', 'skill', 'path'), 60)}${result.length > 5_000 ? ', a long skill text: load it again before using it' : ''}`,
  },
  {
    names: named('delegate', 'sub_?agent', 'spawn', 'task'),
    describe: ({ name, input }) => `${name} ${quote(of(input, 'goal', 'task', 'prompt', 'description'), 60)}`,
  },
  {
    names: named('memory', 'todos?', 'todo_?(?:write|read)', 'cron', 'process'),
    describe: ({ name, input }) => `${name}${firstTwo(input)}`,
  },
  {
    names: named('code', 'python', 'ipython', 'jupyter', 'notebook'),
    describe: ({ name, input }, result) =>
      `${name} ${quote(of(input, 'code', 'script', 'source'), 60)}${outcome(result)}`,
  },
  {
    names: named('terminal', 'bash', 'shell', 'exec', 'command', 'cmd', 'run'),
    describe: ({ name, input }, result) =>
      `${name} ${quote(of(input, 'command', 'cmd', 'script', 'input'), 80)}${outcome(result)}`,
  },
  {
    names: named('editor'),
    describe: ({ name, input }) => `${name}${word(input, 'command')}${place(input)}`,
  },
  {
    names: named(
      'write(?:_?file)?',
      'create',
      'patch',
      'edit',
      'replace',
      'insert',
      'append',
      'move',
      'delete',
    ),
    describe: ({ name, input }) => `${name}${place(input)}`,
  },
  {
    names: named(
      'web',
      'web_?(?:search|fetch|extract)',
      'fetch',
      'browser?',
      'navigate',
      'crawl',
      'scrape',
      'extract',
      'http',
      'url',
    ),
    describe: ({ name, input }) => `${name} ${quote(of(input, 'url', 'urls', 'query', 'q'), 100)}`,
  },
  {
    names: named('search', 'rip_?grep', 'grep', 'find', 'glob', 'list', 'ls'),
    describe: ({ name, input }) =>
      `${name} ${quote(of(input, 'query', 'pattern', 'regex', 'q', 'path', 'directory'), 80)}`,
  },
  {
    names: named('read(?:_?file)?', 'view', 'cat', 'open'),
    describe: ({ name, input }) => `${name}${place(input)}`,
  },
];

/**
 * What a call did, on one line of at most about 250 characters, its size behind it. Never throws: what cannot be read is
 * described by name and size.
 * call     null when the call is not in the history any more
 * result   its whole text
 */
export function describeResult(
  name: string,
  { call, result, isError }: { call: ToolCallText | null; result: string; isError: boolean },
): string {
  return `${oneLine(whatWasDone(name, call, result), 240)}${isError ? ', failed' : ''}, ${sizeOf(result)}`;
}

function whatWasDone(name: string, call: ToolCallText | null, result: string): string {
  try {
    const input = parseInput(call?.arguments ?? '');
    const kind = kinds.find(({ names }) => names.test(snakeOf(name)));
    return kind ? kind.describe({ name, input }, result) : `${name}${firstTwo(input)}`;
  } catch {
    return name;
  }
}

function snakeOf(name: string): string {
  const apart = name.slice(0, 200).replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return apart.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase();
}

/** The text of a stub row. `pointer` names the call that brings the whole text back. */
export function stubText(description: string, pointer: string): string {
  return `${stubStart}${description}. Whole text: ${pointer}]`;
}

/** The text in the place of a result that came again, word for word, later on. */
export function duplicateStub(): string {
  return duplicateText;
}

/** True for a text that stands for an older result already. */
export function isStub(text: string): boolean {
  return text.startsWith(stubStart);
}

function parseInput(text: string): Input {
  if (text.length > 1_000_000) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : {};
  } catch {
    return {};
  }
}

/** The first of the named arguments that is there, as text. */
function of(input: Input, ...keys: readonly string[]): string {
  for (const key of keys) if (input[key] !== undefined) return asText(input[key]);
  return asText(Object.values(input)[0] ?? '');
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}

function word(input: Input, key: string): string {
  return typeof input[key] === 'string' ? ` ${cut(input[key], 40)}` : '';
}

/** Path with offset, limit or range. */
function place(input: Input): string {
  const path = of(input, 'path', 'file_path', 'filename', 'file', 'target', 'uri');
  const parts = ['offset', 'limit', 'view_range', 'start_line', 'end_line']
    .filter((key) => input[key] !== undefined)
    .map((key) => `${key} ${cut(asText(input[key]), 20)}`);
  return [path === '' ? '' : ` ${cut(path, 160)}`, ...parts].join(', ').replace(/^, /, ' ');
}

/** Unknown tools: the first two arguments. */
function firstTwo(input: Input): string {
  const shown = Object.entries(input)
    .slice(0, 2)
    .map(([key, value]) => `${cut(key, 40)}=${quote(asText(value), 40)}`);
  return shown.length === 0 ? '' : ` ${shown.join(' ')}`;
}

/** Where a command says how it ended: near its end, or in a JSON envelope. */
function outcome(result: string): string {
  const ends = `${result.slice(0, 300)}\n${result.slice(-400)}`;
  const code = /exit(?:ed)?[ _](?:with )?(?:code|status)["']?\s?[:=]?\s?(-?\d{1,5})/i.exec(ends);
  return code ? ` → exit ${code[1]}` : '';
}

function sizeOf(result: string): string {
  let lines = 1;
  for (let at = result.indexOf('\n'); at !== -1; at = result.indexOf('\n', at + 1)) lines++;
  return `${lines} ${lines === 1 ? 'line' : 'lines'}, ${result.length} characters`;
}

function quote(text: string, chars: number): string {
  return `"${oneLine(text, chars)}"`;
}
