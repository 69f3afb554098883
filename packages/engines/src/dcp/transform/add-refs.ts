import type { Part, PromptMessage } from '@palimpsest/core';

/**
 * The mark of a unit on the copy that is sent: on each text of a person's message, on each result of an assistant's
 * step that came out well, else on its last text, else as a text of its own before its calls. Beside media it is a text
 * of its own. Arguments of calls never carry one; a step without content gets none. Twice is as once.
 * messages   of one unit, its assistant row first
 */
export function addRef(messages: readonly PromptMessage[], mark: string): readonly PromptMessage[] {
  const [first] = messages;
  if (!first || mark === '') return messages;
  if (first.role === 'user')
    return messages.map((message) => withParts(message, markPerson(message.parts, mark)));
  const results = messages.map((message) => withParts(message, markResults(message.parts, mark)));
  if (results.some((message, index) => message !== messages[index])) return results;
  const said = markAssistant(first.parts, mark);
  return messages.map((message) => (message === first ? withParts(message, said) : message));
}

function withParts(message: PromptMessage, parts: readonly Part[]): PromptMessage {
  return parts === message.parts ? message : { ...message, parts };
}

function markPerson(parts: readonly Part[], mark: string): readonly Part[] {
  const isPlain = parts.some(isText) && !parts.some((part) => part.type === 'payload');
  if (!isPlain) return hasMarkPart(parts, mark) ? parts : [...parts, { type: 'text', text: mark }];
  return parts.map((part) => (isText(part) ? { ...part, text: marked(part.text, mark) } : part));
}

function markResults(parts: readonly Part[], mark: string): readonly Part[] {
  const isDone = (part: Part): boolean => part.type === 'tool_result' && !part.isError;
  if (!parts.some(isDone)) return parts;
  return parts.map((part) =>
    part.type === 'tool_result' && !part.isError ? { ...part, text: marked(part.text, mark) } : part,
  );
}

function markAssistant(parts: readonly Part[], mark: string): readonly Part[] {
  const lastText = parts.findLastIndex(isText);
  if (lastText !== -1)
    return parts.map((part, index) =>
      index === lastText && part.type === 'text' ? { ...part, text: marked(part.text, mark) } : part,
    );
  const call = parts.findIndex((part) => part.type === 'tool_call');
  if (call === -1 || hasMarkPart(parts, mark)) return parts;
  return [...parts.slice(0, call), { type: 'text', text: mark }, ...parts.slice(call)];
}

function isText(part: Part): part is Extract<Part, { type: 'text' }> {
  return part.type === 'text' && part.text.trim() !== '';
}

function marked(text: string, mark: string): string {
  return text.endsWith(`\n${mark}`) ? text : `${text}\n${mark}`;
}

function hasMarkPart(parts: readonly Part[], mark: string): boolean {
  return parts.some((part) => part.type === 'text' && part.text === mark);
}
