import { LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { GatewayError } from '../errors.ts';
import { configSchema, type Config } from './schema.ts';

/** One thing wrong in the file. `line` counts from 1. */
export interface ConfigProblem {
  line: number;
  key: string;
  seen: string;
  problem: string;
}

/**
 * Read a config text. `file` is only for messages.
 * throws config_invalid: file, line, key, the value seen and what is allowed, one line a problem
 */
export function parseConfig(text: string, file: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const error = document.errors[0]!;
    throw new GatewayError(
      'config_invalid',
      `${file}:${lines.linePos(error.pos[0]).line}: not valid YAML: ${error.code}. Mend this line.`,
    );
  }
  const parsed = configSchema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue, document, lines));
  throw new GatewayError(
    'config_invalid',
    problems.map((problem) => formatProblem(problem, file)).join('\n'),
  );
}

function formatProblem(problem: ConfigProblem, file: string): string {
  return `${file}:${problem.line}: ${problem.key}: ${problem.seen} is not accepted; ${problem.problem}`;
}

function describeIssue(issue: z.core.$ZodIssue, document: Document, lines: LineCounter): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      line: lineOf([...issue.path, key], document, lines),
      key: [...issue.path, key].join('.'),
      seen: 'this key',
      problem: `unknown here; allowed: ${allowedKeys(issue.path).join(', ')}`,
    }));
  }
  const value: unknown = document.getIn(issue.path as (string | number)[]);
  return [
    {
      line: lineOf(issue.path, document, lines),
      key: issue.path.join('.') || '(top)',
      seen: JSON.stringify(value) ?? String(value),
      problem: issue.message.charAt(0).toLowerCase() + issue.message.slice(1),
    },
  ];
}

function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): number {
  for (let depth = path.length; depth > 0; depth--) {
    const node: unknown = document.getIn(path.slice(0, depth) as (string | number)[], true);
    const range = (node as { range?: [number, number, number] } | undefined)?.range;
    if (range) return lines.linePos(range[0]).line;
  }
  return 1;
}

/** Keys the schema knows at a path. */
function allowedKeys(path: readonly PropertyKey[]): string[] {
  let schema: unknown = configSchema;
  for (const key of path) schema = shapeOf(schema)?.[String(key)];
  return Object.keys(shapeOf(schema) ?? {});
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  let current = schema as { shape?: Record<string, unknown>; def?: { innerType?: unknown } } | undefined;
  while (current && !current.shape) current = current.def?.innerType as typeof current;
  return current?.shape;
}
