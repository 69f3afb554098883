import type { ModelRequest, Part, PromptMessage } from '@palimpsest/core';

import { dataUrl, imageOf, wordsOfPayload } from '../prompt-images.ts';
import type { ToolIds } from '../tool-ids.ts';
import { readKeptItem } from './response-item.ts';
import type {
  CheckpointItem,
  ImageContent,
  InputItem,
  KeptItem,
  MessageItem,
  ReasoningItem,
} from './response-item.ts';

/** Models read an empty result as a fault. */
const emptyResult = '(no output)';

/** What the messages of one request have in common. */
interface ItemContext {
  /** Only items of this issuer go back. */
  issuer: string;
  /** Items that the service refused before: they would be refused again. */
  isRefused(item: ReasoningItem | CheckpointItem): boolean;
  ids: ToolIds;
  images?: ModelRequest['images'];
}

/** One message as items of the wire, in the order in which they were made. Orphaned calls are the caller's business. */
export function toItems(message: PromptMessage, context: ItemContext): InputItem[] {
  return message.role === 'assistant'
    ? answerItems(message.parts, context)
    : personItems(message.parts, context);
}

/**
 * One output item a result, or a message of what was said, its parts joined by new lines. What lies beside a result, as a
 * picture does, goes into the last one: nothing stands between the results of parallel calls.
 */
function personItems(parts: readonly Part[], { ids, images }: ItemContext): InputItem[] {
  const text = parts
    .flatMap((part) => {
      if (part.type === 'text' || part.type === 'header') return [part.text];
      return part.type === 'payload' ? [wordsOfPayload(part, images)] : [];
    })
    .join('\n');
  const results = parts.filter((part) => part.type === 'tool_result');
  if (results.length === 0) {
    const pictures = picturesOf(parts, images);
    return text.trim() === '' && pictures.length === 0 ? [] : [personMessage(text, pictures)];
  }
  return results.map((result, index) => {
    const beside = index === results.length - 1 ? text : '';
    const output = [result.text, beside].filter((words) => words.trim() !== '').join('\n');
    return {
      type: 'function_call_output',
      call_id: ids.result(result.callId),
      output: output || emptyResult,
    };
  });
}

/** A message of a person: the words, then the pictures that they name. */
export function personMessage(text: string, pictures: readonly ImageContent[] = []): MessageItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }, ...pictures] };
}

function picturesOf(parts: readonly Part[], images: ModelRequest['images']): ImageContent[] {
  return parts.flatMap((part): ImageContent[] => {
    const image = part.type === 'payload' ? imageOf(part, images) : null;
    return image === null ? [] : [{ type: 'input_image', image_url: dataUrl(image), detail: 'auto' }];
  });
}

function answerItems(parts: readonly Part[], { issuer, isRefused, ids }: ItemContext): InputItem[] {
  const kept = parts.flatMap((part): KeptItem[] => {
    if (part.type !== 'sidecar' || part.issuer !== issuer) return [];
    const one = readKeptItem(part.item);
    return one && (one.item.type === 'phase' || !isRefused(one.item)) ? [one] : [];
  });
  const said = parts.flatMap((part) => toSaid(part, ids));
  const items: InputItem[] = [];
  for (let index = 0; index <= said.length; index++) {
    const here = kept.filter(({ after }) => Math.min(after, said.length) === index);
    items.push(...here.flatMap(({ item }) => (item.type === 'phase' ? [] : [item])));
    const one = said[index];
    if (one) items.push(withPhase(one, here));
  }
  return withoutLooseReasoning(items);
}

function toSaid(part: Part, ids: ToolIds): InputItem[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [answerMessage(part.text)];
    case 'payload':
      return [answerMessage(part.preview)];
    case 'tool_call':
      return [
        {
          type: 'function_call',
          call_id: ids.call(part.id),
          name: part.name,
          arguments: part.arguments || '{}',
        },
      ];
    default:
      return [];
  }
}

function answerMessage(text: string): MessageItem {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

function withPhase(item: InputItem, kept: readonly KeptItem[]): InputItem {
  if (item.type !== 'message') return item;
  const mark = kept.find((one) => one.item.type === 'phase')?.item;
  return mark?.type === 'phase' ? { ...item, phase: mark.phase } : item;
}

/** The service refuses reasoning that leads to nothing, as when its text was taken out. */
function withoutLooseReasoning(items: readonly InputItem[]): InputItem[] {
  return items.filter((item, index) => {
    if (item.type !== 'reasoning') return true;
    const next = items.slice(index + 1).find(({ type }) => type !== 'reasoning');
    return next !== undefined && next.type !== 'compaction';
  });
}
