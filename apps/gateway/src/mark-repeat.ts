import type { ChatTarget, PartContent } from '@palimpsest/core';
import { sayIn } from '@palimpsest/turn';

/**
 * A part that is sent again although it may have arrived (Telegram has no idempotency key), with a mark of that in front;
 * its formatting stays where it was, a file keeps what is in it.
 */
export function markRepeat({ text, form }: PartContent, chat: ChatTarget): PartContent {
  const mark = `${sayIn(chat)('mayBeRepeat')}\n`;
  if (form === undefined) return { text: mark + text };
  if (form.kind === 'payload') return { text: mark + text, form };
  if (form.kind === 'file') return { text, form: { ...form, caption: mark + form.caption } };
  const entities = form.entities.map((entity) => ({ ...entity, offset: entity.offset + mark.length }));
  return { text: mark + text, form: { ...form, entities } };
}

export function contentOf({ text, form }: PartContent): PartContent {
  return { text, ...(form !== undefined && { form }) };
}
