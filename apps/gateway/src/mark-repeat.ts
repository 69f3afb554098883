import type { PartContent } from '@palimpsest/core';

/** In front of a part that is sent again although it may have arrived (Telegram has no idempotency key). */
const repeatMark = '(this may be a repeat)\n';

/** The part with the mark of a repeat in front; its formatting stays where it was, a file keeps what is in it. */
export function markRepeat({ text, form }: PartContent): PartContent {
  if (form === undefined) return { text: repeatMark + text };
  if (form.kind === 'payload') return { text: repeatMark + text, form };
  if (form.kind === 'file') return { text, form: { ...form, caption: repeatMark + form.caption } };
  const entities = form.entities.map((entity) => ({ ...entity, offset: entity.offset + repeatMark.length }));
  return { text: repeatMark + text, form: { ...form, entities } };
}

export function contentOf({ text, form }: PartContent): PartContent {
  return { text, ...(form !== undefined && { form }) };
}
