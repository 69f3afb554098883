import { never, type DcpMarkReason, type Part } from '@palimpsest/core';
import { parseObject } from './signature.ts';

/** Tools whose question matters less than the answer: a mark takes their input, never their output. */
const answerTools: ReadonlySet<string> = new Set(['question', 'clarify']);
const purgedInput = '[left out: the input of a failed call]';
const purgedQuestion = '[left out: see the answer]';
const repeatedOutput = '[output left out: the same call was made again later]';
const sweptOutput = '[output left out: the person had it cleared away]';
/** Both ends of an oversized output stay: what it was, and how it ended. */
const keptHeadChars = 400;
const keptTailChars = 200;

/** The part of an assistant row or a result row as a mark on its call leaves it; the same part where nothing changes. */
export function markedPart(part: Part, reason: DcpMarkReason): Part {
  if (part.type === 'tool_call') return markedCall(part, reason);
  if (part.type === 'tool_result') return markedResult(part, reason);
  return part;
}

function markedCall(part: Extract<Part, { type: 'tool_call' }>, reason: DcpMarkReason): Part {
  if (reason === 'error_input') return withInput(part, purgedInput);
  return answerTools.has(part.name) ? withInput(part, purgedQuestion) : part;
}

/** Top-level texts give way to a notice; what is no text, nested or shorter stays. */
function withInput(part: Extract<Part, { type: 'tool_call' }>, notice: string): Part {
  const input = parseObject(part.arguments);
  if (!input) return part;
  const entries = Object.entries(input);
  const changed = entries.map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' && value.length > notice.length ? notice : value,
  ]);
  if (changed.every(([, value], index) => value === entries[index]![1])) return part;
  return { ...part, arguments: JSON.stringify(Object.fromEntries(changed)) };
}

function markedResult(part: Extract<Part, { type: 'tool_result' }>, reason: DcpMarkReason): Part {
  if (part.isError || answerTools.has(part.name)) return part;
  const text = outputText(part.text, reason);
  return text.length < part.text.length ? { ...part, text } : part;
}

function outputText(text: string, reason: DcpMarkReason): string {
  switch (reason) {
    case 'duplicate':
      return repeatedOutput;
    case 'sweep':
      return sweptOutput;
    case 'oversized':
      return shortened(text);
    case 'error_input':
      return text;
    default:
      return never(reason);
  }
}

function shortened(text: string): string {
  const head = text.slice(0, keptHeadChars).toWellFormed();
  const tail = text.slice(-keptTailChars).toWellFormed();
  return `${head}\n[… the middle of a long output, left out to make room …]\n${tail}`;
}
