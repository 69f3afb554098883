import { isMap, isNode, isPair, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';
import type { z } from 'zod';
import { GatewayError } from '../errors.ts';
import { allowedKeys, allowedValues } from './allowed-values.ts';
import { withoutAliases } from './key-aliases.ts';
import { configSchema, type Config } from './schema.ts';
import { yamlProblem } from './yaml-problem.ts';

/** One thing wrong in the file. `line` counts from 1. */
interface ConfigProblem {
  line: number;
  key: string;
  problem: string;
}

interface Source {
  document: Document;
  lines: LineCounter;
  file: string;
}

export interface ParseConfigOptions {
  /** Names that `context.engine` may have; left out: any. */
  engines?: readonly string[];
}

/**
 * Read a config text. `file` is only for messages.
 * throws config_invalid: file, line, key, the value seen and what is allowed, one line a problem
 */
export function parseConfig(text: string, file: string, options: ParseConfigOptions = {}): Config {
  const lines = new LineCounter();
  // Ids of Discord are larger than a number holds exactly.
  const document = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const source = { document, lines, file };
  const parsed = configSchema.safeParse(withoutAliases(readValues(source)));
  if (!parsed.success)
    throw refusal(
      source,
      parsed.error.issues.flatMap((issue) => describeIssue(issue, source)),
    );
  const { engine } = parsed.data.context;
  if (options.engines && !options.engines.includes(engine)) {
    throw refusal(source, [valueProblem(['context', 'engine'], source, options.engines.join(', '))]);
  }
  return parsed.data;
}

/** The document as plain values: numbers where they are exact, else bigint. An empty file is an empty config. */
function readValues({ document, lines, file }: Source): unknown {
  const [error] = document.errors;
  if (error)
    throw new GatewayError(
      'config_invalid',
      `${file}:${lines.linePos(error.pos[0]).line}: ${yamlProblem(error.code)}.`,
    );
  try {
    return (
      document.toJS({ reviver: (_key, value: unknown) => (isExact(value) ? Number(value) : value) }) ?? {}
    );
  } catch {
    // The one fault that shows only now: an alias without its anchor, or one that holds itself.
    throw new GatewayError(
      'config_invalid',
      `${file}:${lineOfBadAlias(document, lines)}: ${yamlProblem('BAD_ALIAS')}.`,
    );
  }
}

function lineOfBadAlias(document: Document, lines: LineCounter): number {
  let offset = 0;
  visit(document, {
    Alias(_key, alias) {
      const start = alias.range?.[0] ?? 0;
      const anchorEnd = alias.resolve(document)?.range?.[2];
      if (anchorEnd !== undefined && anchorEnd <= start) return undefined;
      offset = start;
      return visit.BREAK;
    },
  });
  return lines.linePos(offset).line;
}

function isExact(value: unknown): value is bigint {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value));
}

function refusal({ file }: Source, problems: readonly ConfigProblem[]): GatewayError {
  const text = problems.map(({ line, key, problem }) => `${file}:${line}: ${key}: ${problem}`);
  return new GatewayError('config_invalid', text.join('\n'));
}

function describeIssue(issue: z.core.$ZodIssue, source: Source): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey([...issue.path, key], source));
  // A rule of ours brings its own words; zod's are about types.
  const allowed = issue.code === 'custom' ? issue.message : allowedValues(issue.path);
  const told = valueProblem(issue.path, source, allowed ?? issue.message);
  const isSecret = issue.code === 'custom' && issue.params?.['secret'] === true;
  return [isSecret ? { ...told, problem: `must be ${allowed}.` } : told];
}

function unknownKey(path: readonly PropertyKey[], source: Source): ConfigProblem {
  const allowed = allowedKeys(path.slice(0, -1)).join(', ');
  const hint = /key|token|secret|password/i.test(String(path.at(-1)))
    ? ' Keys, tokens and passwords stand in .env (ANTHROPIC_API_KEY, TELEGRAM_BOT_TOKEN …), never here.'
    : '';
  return {
    line: lineOf(path, source),
    key: path.join('.'),
    problem: `unknown key; allowed here: ${allowed}.${hint}`,
  };
}

function valueProblem(path: readonly PropertyKey[], source: Source, allowed: string): ConfigProblem {
  const node: unknown = source.document.getIn(path as (string | number)[], true);
  return {
    line: lineOf(path, source),
    key: path.join('.') || '(top)',
    problem:
      node === undefined
        ? `is missing; needed: ${allowed}.`
        : `${seenWords(node)} is not accepted; allowed: ${allowed}.`,
  };
}

const longestShown = 60;

/** The value as it stands in the file, cut and without the password of an address. */
function seenWords(node: unknown): string {
  const value: unknown = isNode(node) ? node.toJSON() : node;
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  const text = (
    JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ??
    'nothing'
  ).replace(/\/\/[^/@\s]*@/g, '//***@');
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** Line of the key that a path ends with; of the nearest one above it where the path is not in the file. */
function lineOf(path: readonly PropertyKey[], { document, lines }: Source): number {
  for (let depth = path.length; depth > 0; depth--) {
    const range = keyOrItem(document, path.slice(0, depth))?.range;
    if (range) return lines.linePos(range[0]).line;
  }
  return 1;
}

function keyOrItem(document: Document, path: readonly PropertyKey[]): Node | undefined {
  const parent: unknown =
    path.length === 1 ? document.contents : document.getIn(path.slice(0, -1) as (string | number)[], true);
  const pair = isMap(parent)
    ? parent.items.find((item) => isPair(item) && String(item.key) === String(path.at(-1)))
    : undefined;
  const node: unknown = pair ? pair.key : document.getIn(path as (string | number)[], true);
  return isNode(node) ? node : undefined;
}
