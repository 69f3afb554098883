import { existsSync, readFileSync } from 'node:fs';
import { readRecording, type RecordedLine } from '@palimpsest/cli';
import { estimateParts, GatewayError, type NewRow, type Part } from '@palimpsest/core';

/** A question about a conversation, with the lines that hold its answer. */
export interface Question {
  question: string;
  answer: string;
  /** Each the whole text of a line. */
  evidence: readonly string[];
}

export interface Conversation {
  /** Rows as the gateway stores them, oldest first; a run of them ends before the next line of a person. */
  exchanges: readonly (readonly NewRow[])[];
  /** The name under which the recording has the assistant; null: it has none. */
  assistant: string | null;
  /** Questions whose evidence is known; empty without a file of questions. */
  questions: readonly Question[];
}

interface RawQuestion {
  question: string;
  answer?: unknown;
  evidence?: readonly string[];
}

/** throws input_invalid naming the file and what is wrong with it */
export function readConversation(transcript: string, questionFile: string | null): Conversation {
  const { lines } = readRecording(transcript);
  const exchanges: NewRow[][] = [];
  for (const line of lines) {
    if (line.role === 'user' || exchanges.length === 0) exchanges.push([]);
    exchanges.at(-1)!.push(rowOf(line));
  }
  return {
    exchanges,
    assistant: lines.find(({ role }) => role === 'assistant')?.name ?? null,
    questions: questionFile === null ? [] : readQuestions(questionFile, refsOf(transcript)),
  };
}

/** `chat.qa.json` beside `chat.jsonl`, where there is one. */
export function questionsBeside(transcript: string): string | null {
  const beside = transcript.replace(/\.jsonl$/, '.qa.json');
  return beside !== transcript && existsSync(beside) ? beside : null;
}

function rowOf(line: RecordedLine): NewRow {
  const { role, content, name } = line;
  const text: Part[] = content === '' ? [] : [{ type: 'text', text: content }];
  const calls: Part[] = line.toolCalls.map((call) => ({ type: 'tool_call', ...call }));
  const result: Part = {
    type: 'tool_result',
    callId: line.toolCallId ?? '',
    name: name ?? 'tool',
    text: content,
    isError: false,
  };
  const parts = role === 'tool' ? [result] : [...text, ...calls];
  return {
    role,
    kind: role === 'user' ? 'person' : role,
    parts,
    tokens: estimateParts(parts),
    sentAt: new Date(line.ts),
    // The assistant has no name in the transcript of a chat either.
    ...(role === 'user' ? { sender: { id: name ?? 'person', name: name ?? 'person' } } : {}),
  };
}

/** The data set's own names of the lines → their texts. */
function refsOf(transcript: string): ReadonlyMap<string, string> {
  const lines = readFileSync(transcript, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return new Map(
    lines.flatMap((line) => {
      const { ref, content } = JSON.parse(line) as { ref?: string; content?: string };
      return ref === undefined || !content ? [] : [[ref, content] as const];
    }),
  );
}

function readQuestions(file: string, refs: ReadonlyMap<string, string>): readonly Question[] {
  const raw = parse(file);
  return raw.flatMap(({ question, answer, evidence = [] }) => {
    // Some name two lines in one text.
    const named = evidence.flatMap((ref) => ref.split(/[;,\s]+/));
    const texts = named.flatMap((ref) => refs.get(ref) ?? []);
    return texts.length === 0 ? [] : [{ question, answer: String(answer ?? ''), evidence: texts }];
  });
}

function parse(file: string): readonly RawQuestion[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const problem = existsSync(file) ? 'cannot be read as JSON' : 'does not exist';
    throw new GatewayError('input_invalid', `${file} ${problem}; name a file of questions`, { cause });
  }
  if (Array.isArray(value)) return value as RawQuestion[];
  throw new GatewayError(
    'input_invalid',
    `${file} holds no list; a file of questions is [{question, answer, evidence}]`,
  );
}
