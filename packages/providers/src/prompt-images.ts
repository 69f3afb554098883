import { isImageMime, type ModelRequest, type Part, type PromptImage } from '@palimpsest/core';

type Payload = Extract<Part, { type: 'payload' }>;

/** Behind the name of a picture that does not go along. */
const unseen = '(The picture itself is not shown to you.)';

/** The picture of a payload part; null: it is none, or does not go along. */
export function imageOf(part: Payload, images: ModelRequest['images']): PromptImage | null {
  return images?.get(part.payloadId) ?? null;
}

/** What stands for a payload in words. */
export function wordsOfPayload(part: Payload, images?: ModelRequest['images']): string {
  return isImageMime(part.mime) && imageOf(part, images) === null
    ? `${part.preview} ${unseen}`
    : part.preview;
}

export function dataUrl({ mime, base64 }: PromptImage): string {
  return `data:${mime};base64,${base64}`;
}
