/** Photos, files, voice messages and the like of a message. */
import type { IncomingMedia, MediaKind } from '@palimpsest/core';
import { objectIn, objectsIn, textIn, type JsonObject } from './read-json.ts';

/** By the field that holds them. An animation comes as a document too, so it is looked for first. */
const kindOfField = {
  animation: 'animation',
  document: 'document',
  voice: 'voice',
  audio: 'audio',
  video: 'video',
  video_note: 'video',
  sticker: 'sticker',
} as const satisfies Record<string, MediaKind>;

/** At most one of a message: an album is a message for each. Null: there is none that we know. */
export function readMedia(message: JsonObject): IncomingMedia | null {
  const photo = largestPhoto(message);
  if (photo) return readFile(photo, 'photo');
  for (const [field, kind] of Object.entries(kindOfField)) {
    const file = objectIn(message[field]);
    if (file) return readFile(file, kind);
  }
  return null;
}

/** Sizes of one photo, of which people see the largest. */
function largestPhoto(message: JsonObject): JsonObject | null {
  const sizes = objectsIn(message.photo);
  const area = ({ width, height }: JsonObject): number => Number(width) * Number(height) || 0;
  return sizes.reduce<JsonObject | null>(
    (best, size) => (best && area(best) >= area(size) ? best : size),
    null,
  );
}

function readFile(file: JsonObject, kind: MediaKind): IncomingMedia | null {
  const reference = textIn(file.file_id);
  if (reference === null) return null;
  const name = textIn(kind === 'sticker' ? file.emoji : file.file_name);
  const mime = textIn(file.mime_type);
  return {
    kind,
    reference,
    ...(name !== null && { name }),
    ...(mime !== null && { mime }),
    ...(isCount(file.file_size) && { bytes: file.file_size }),
    ...(isCount(file.duration) && { seconds: file.duration }),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
