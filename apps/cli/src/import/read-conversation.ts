import { estimateParts, GatewayError, type NewRow, type Part } from '@palimpsest/core';

export interface Conversation {
  rows: readonly NewRow[];
  /** Lines of the roles system and developer: instructions come from the config. */
  skipped: number;
}

/** A message as OpenAI's chat API writes it. */
export type Value = Record<string, unknown>;

/**
 * Rows of a conversation as OpenAI's chat API writes its messages, one JSON object a line: role, content (a text or parts),
 * tool_calls, tool_call_id, name; with `ts` or `created_at` where the time is known. The whole text is read before
 * anything is stored.
 *
 * text       the file
 * where      its name, for errors
 * startedAt  time of lines without one; each is a second after the one before it
 * throws     input_invalid with the line, the value seen and what is allowed
 */
export function readConversation(text: string, where: string, startedAt: Date): Conversation {
  const lines = text.split('\n').flatMap((line, index) => {
    const at = `${where}:${index + 1}`;
    return line.trim() === '' ? [] : [{ at, value: parseLine(line, at) }];
  });
  return toConversation(lines, where, startedAt);
}

/** The same of messages that were read already; `at` says where each stands. */
export function toConversation(
  lines: readonly { at: string; value: Value }[],
  where: string,
  startedAt: Date,
): Conversation {
  const names = new Map<string, string>();
  const rows: NewRow[] = [];
  let skipped = 0;
  let last = startedAt.getTime() - 1_000;
  for (const { at, value } of lines) {
    if (value['role'] === 'system' || value['role'] === 'developer') {
      skipped += 1;
      continue;
    }
    const sentAt = timeOf(value, at) ?? new Date(last + 1_000);
    last = sentAt.getTime();
    rows.push(rowOf(value, { at, sentAt, names }));
  }
  if (rows.length > 0) return { rows, skipped };
  throw new GatewayError(
    'input_invalid',
    `${where}: no line holds a message of somebody. Nothing was imported.`,
  );
}

function parseLine(line: string, at: string): Value {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Value;
  } catch {
    // Said below.
  }
  throw new GatewayError('input_invalid', `${at}: not a JSON object. Nothing was imported.`);
}

function timeOf(value: Value, at: string): Date | null {
  const given = value['ts'] ?? value['created_at'];
  if (given === undefined || given === null) return null;
  const time = new Date(typeof given === 'number' ? given * (given < 1e12 ? 1000 : 1) : String(given));
  if (!Number.isNaN(time.getTime())) return time;
  throw new GatewayError(
    'input_invalid',
    `${at}: ${JSON.stringify(given)} is no time. Nothing was imported.`,
  );
}

function rowOf(
  value: Value,
  { at, sentAt, names }: { at: string; sentAt: Date; names: Map<string, string> },
): NewRow {
  const { role } = value;
  const content = textOf(value['content'], at);
  const said: Part[] = content === '' ? [] : [{ type: 'text', text: content }];
  switch (role) {
    case 'user': {
      const name = typeof value['name'] === 'string' ? value['name'] : 'user';
      return row(
        { role: 'user', kind: 'person', parts: said, sender: { id: `import:${name}`, name } },
        sentAt,
        at,
      );
    }
    case 'assistant': {
      const calls = callsOf(value['tool_calls'], at);
      for (const call of calls) names.set(call.id, call.name);
      return row({ role: 'assistant', kind: 'assistant', parts: [...said, ...calls] }, sentAt, at);
    }
    case 'tool': {
      const callId = String(value['tool_call_id'] ?? '');
      const name = names.get(callId) ?? (typeof value['name'] === 'string' ? value['name'] : '');
      // A result without its call is taken by no provider: it stays readable as words.
      if (!names.has(callId))
        return row(
          {
            role: 'assistant',
            kind: 'assistant',
            parts: [{ type: 'text', text: `[${name || 'tool'}] ${content}` }],
          },
          sentAt,
          at,
        );
      const parts: Part[] = [{ type: 'tool_result', callId, name, text: content, isError: false }];
      return row({ role: 'tool', kind: 'tool', parts }, sentAt, at);
    }
    default:
      throw new GatewayError(
        'input_invalid',
        `${at}: role is ${JSON.stringify(role)}; allowed: user, assistant, tool, system, developer. Nothing was imported.`,
      );
  }
}

function row(of: Omit<NewRow, 'tokens' | 'sentAt'>, sentAt: Date, at: string): NewRow {
  if (of.parts.length > 0) return { ...of, tokens: estimateParts(of.parts), sentAt };
  throw new GatewayError('input_invalid', `${at}: the line says nothing. Nothing was imported.`);
}

/** A text, or the texts of parts; a picture leaves a word behind. */
function textOf(content: unknown, at: string): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content
      .map((part: Value) => {
        if (typeof part['text'] === 'string') return part['text'];
        return `[${String(part['type'] ?? 'part')} not imported]`;
      })
      .join('\n');
  throw new GatewayError(
    'input_invalid',
    `${at}: content must be a text, a list of parts or null. Nothing was imported.`,
  );
}

function callsOf(calls: unknown, at: string): Extract<Part, { type: 'tool_call' }>[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls))
    throw new GatewayError('input_invalid', `${at}: tool_calls must be a list. Nothing was imported.`);
  return calls.map((call: Value) => {
    const inner = (call['function'] ?? call) as Value;
    const given = inner['arguments'];
    const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
    return {
      type: 'tool_call',
      id: String(call['id'] ?? ''),
      name: String(inner['name'] ?? ''),
      arguments: text,
    };
  });
}
