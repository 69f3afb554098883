import type { Config } from '@palimpsest/core';
import { parseObject } from '../strategies/signature.ts';
import { problem, type Checked, type CompressProblem } from './problem.ts';

type Mode = Config['context']['dcp']['compress']['mode'];

/** One thing to compress. In message mode both ends are the message. */
export interface CompressEntry {
  /** `content[0]` */
  path: string;
  startId: string;
  endId: string;
  summary: string;
  /** null: the topic of the call. */
  topic: string | null;
}

export interface CompressArguments {
  topic: string;
  entries: readonly CompressEntry[];
}

/**
 * The arguments of a call as they should be. A single entry instead of a list, and a list or entry as JSON text, are
 * taken for what they mean; some models write them so. All blank fields are told at once.
 */
export function readArguments(text: string, mode: Mode): Checked<CompressArguments> {
  const given = parseObject(text);
  if (!given) {
    const wrong = problem(
      'E_CONTENT',
      '',
      `the arguments are no JSON object; send {"topic": …, "content": […]}`,
    );
    return { ok: false, problems: [wrong] };
  }
  const problems: CompressProblem[] = [];
  const topic = textOf(given['topic']);
  if (topic === '')
    problems.push(problem('E_TOPIC', 'topic', 'topic is blank; name it in three to five words'));
  const items = listOf(given['content']);
  if (items.length === 0) problems.push(noContent(mode));
  const entries = items.map((item, index) => readEntry(item, { mode, path: `content[${index}]`, problems }));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { topic, entries } };
}

function noContent(mode: Mode): CompressProblem {
  const shape =
    mode === 'range'
      ? '[{"startId": "m0001", "endId": "m0009", "summary": "…"}]'
      : '[{"messageId": "m0001", "topic": "…", "summary": "…"}]';
  return problem('E_CONTENT', 'content', `content is missing or empty; send a list such as ${shape}`);
}

function readEntry(
  item: unknown,
  { mode, path, problems }: { mode: Mode; path: string; problems: CompressProblem[] },
): CompressEntry {
  const fields = objectOf(item);
  const read = (name: string): string => {
    const text = textOf(fields[name]);
    if (text === '')
      problems.push(problem('E_FIELD', `${path}.${name}`, `${path}.${name} is blank; fill it in`));
    return text;
  };
  if (mode === 'range')
    return { path, startId: read('startId'), endId: read('endId'), summary: read('summary'), topic: null };
  const messageId = read('messageId');
  return { path, startId: messageId, endId: messageId, topic: read('topic'), summary: read('summary') };
}

function listOf(value: unknown): readonly unknown[] {
  const known = typeof value === 'string' ? parsed(value) : value;
  if (Array.isArray(known)) return known;
  return typeof known === 'object' && known !== null ? [known] : [];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const known = typeof value === 'string' ? parsed(value) : value;
  return typeof known === 'object' && known !== null && !Array.isArray(known)
    ? (known as Record<string, unknown>)
    : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
