import { readFileSync } from 'node:fs';
import { GatewayError } from '@palimpsest/core';

/** One line of a recorded conversation. */
export interface RecordedLine {
  seq: number;
  ts: string;
  role: 'user' | 'assistant' | 'tool';
  content: string;
  name?: string;
  toolCalls: readonly { id: string; name: string; arguments: string }[];
  toolCallId?: string;
}

/** A run of user lines and what the recording answers to its last one (assistant and tool lines, in order). */
export interface Exchange {
  user: readonly RecordedLine[];
  answer: readonly RecordedLine[];
}

export interface Recording {
  lines: readonly RecordedLine[];
  /** Lines before the first user line. */
  opening: readonly RecordedLine[];
  exchanges: readonly Exchange[];
}

/** throws input_invalid with file, line number and what is wrong with it */
export function readRecording(path: string): Recording {
  const lines = readLines(readText(path), path);
  if (lines.some((line) => line.role === 'user')) return groupLines(lines);
  throw new GatewayError(
    'input_invalid',
    `${path}: none of its ${lines.length} lines has the role user, so there is nothing to send. A recording is one JSON object a line.`,
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const problem = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${String(code)})`;
    throw new GatewayError('input_invalid', `${path}: ${problem}. Name a recording (JSON lines).`, { cause });
  }
}

function readLines(text: string, path: string): RecordedLine[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, `${path}:${index + 1}`)]));
}

function parseLine(line: string, where: string): RecordedLine {
  const value = parseJson(line, where);
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw new GatewayError(
      'input_invalid',
      `${where}: role is ${JSON.stringify(role)}; allowed: user, assistant, tool.`,
    );
  }
  if (typeof content !== 'string' && content !== null)
    throw new GatewayError('input_invalid', `${where}: content must be a text or null.`);
  const calls = Array.isArray(value['tool_calls']) ? (value['tool_calls'] as Record<string, unknown>[]) : [];
  return {
    seq: Number(value['seq'] ?? 0),
    ts: String(value['ts'] ?? ''),
    role,
    content: content ?? '',
    name: typeof value['name'] === 'string' ? value['name'] : undefined,
    toolCalls: calls.map((call) => ({
      id: String(call['id']),
      name: String(call['name']),
      arguments: argumentsText(call['arguments']),
    })),
    toolCallId: typeof value['tool_call_id'] === 'string' ? value['tool_call_id'] : undefined,
  };
}

function argumentsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

function parseJson(line: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new GatewayError(
    'input_invalid',
    `${where}: not a JSON object. A recording is one JSON object a line.`,
  );
}

/** Split into the opening and exchanges. */
function groupLines(lines: readonly RecordedLine[]): Recording {
  const first = lines.findIndex((line) => line.role === 'user');
  const opening = first === -1 ? lines : lines.slice(0, first);
  const exchanges: { user: RecordedLine[]; answer: RecordedLine[] }[] = [];
  for (const line of first === -1 ? [] : lines.slice(first)) {
    const last = exchanges.at(-1);
    if (line.role !== 'user') last!.answer.push(line);
    else if (last && last.answer.length === 0) last.user.push(line);
    else exchanges.push({ user: [line], answer: [] });
  }
  return { lines, opening, exchanges };
}
