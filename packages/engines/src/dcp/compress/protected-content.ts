import type { DcpState, MessageRow, Part } from '@palimpsest/core';
import type { DcpUnit } from '../refs/group-units.ts';
import { isProtectedCall, matchesName } from '../strategies/protected-call.ts';
import { parseObject } from '../strategies/signature.ts';
import type { DcpConfig } from './ground.ts';

const protectTag = /<protect>([\s\S]*?)<\/protect>/gi;
/** How tools that call other tools name them: in a list of calls, or in code. */
const nameKeys: ReadonlySet<string> = new Set(['tool', 'tool_name', 'name', 'recipient_name']);
const nameInCode = /\btools\.([a-z_]\w{0,63})\s*\(/gi;
const deepestValue = 8;

type ResultPart = Extract<Part, { type: 'tool_result' }>;

/**
 * What of newly covered units stays word for word behind a summary: a person's messages or what they tagged, and outputs
 * of protected tools and files. Failed outputs are not kept, nor those that a mark left out of the prompt already.
 * returns  '' when there is nothing
 */
export function protectedContent(
  units: readonly DcpUnit[],
  ground: { config: DcpConfig; state: DcpState; bodies: ReadonlyMap<number, MessageRow> },
): string {
  const { config, state, bodies } = ground;
  const rowsOf = (unit: DcpUnit): MessageRow[] => unit.rows.flatMap((row) => bodies.get(row.id) ?? []);
  const persons = units.filter((unit) => unit.kind === 'person').flatMap(rowsOf);
  const marked = new Set(state.marks.map((mark) => `${mark.unitId} ${mark.callId}`));
  const outputs = units
    .filter((unit) => unit.kind === 'steps')
    .flatMap((unit) =>
      protectedOutputs(rowsOf(unit), config, (callId) => marked.has(`${unit.id} ${callId}`)),
    );
  const sections = [
    section('Messages of the person, word for word', messagesOf(persons, config)),
    ...outputs.map(({ name, text }) => section(`Output of ${name}`, [text])),
  ];
  return sections.filter((text) => text !== '').join('\n\n');
}

function section(title: string, texts: readonly string[]): string {
  return texts.length === 0 ? '' : `### ${title}\n${texts.join('\n\n')}`;
}

function messagesOf(persons: readonly MessageRow[], { compress }: DcpConfig): readonly string[] {
  const texts = persons.flatMap((row) => row.parts.flatMap(textOfPart)).filter((text) => text.trim() !== '');
  if (compress.protectUserMessages) return texts;
  if (!compress.protectTags) return [];
  return texts
    .flatMap((text) => [...text.matchAll(protectTag)].map((found) => found[1]!.trim()))
    .filter(Boolean);
}

function textOfPart(part: Part): readonly string[] {
  if (part.type === 'text') return [part.text];
  return part.type === 'payload' ? [part.preview] : [];
}

function protectedOutputs(
  rows: readonly MessageRow[],
  config: DcpConfig,
  isMarked: (callId: string) => boolean,
): readonly { name: string; text: string }[] {
  const parts = rows.flatMap((row) => row.parts);
  const results = new Map<string, ResultPart>();
  for (const part of parts) if (part.type === 'tool_result') results.set(part.callId, part);
  return parts.flatMap((part) => {
    if (part.type !== 'tool_call' || isMarked(part.id) || !isKept(part, config)) return [];
    const result = results.get(part.id);
    return result && !result.isError && result.text !== '' ? [{ name: part.name, text: result.text }] : [];
  });
}

function isKept(call: { name: string; arguments: string }, config: DcpConfig): boolean {
  const tools = config.compress.protectedTools;
  if (isProtectedCall(call, { tools, files: config.protectedFilePatterns })) return true;
  return namesWithin(parseObject(call.arguments), deepestValue).some((name) => matchesName(name, tools));
}

/** Names of tools that a call runs inside itself. */
function namesWithin(value: unknown, depth: number): readonly string[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => namesWithin(item, depth - 1));
  return Object.entries(value).flatMap(([key, item]) => {
    if (typeof item !== 'string') return namesWithin(item, depth - 1);
    if (nameKeys.has(key)) return [item.replace(/^(functions|tools)\./, '')];
    return key === 'code' ? [...item.matchAll(nameInCode)].map((found) => found[1]!) : [];
  });
}
