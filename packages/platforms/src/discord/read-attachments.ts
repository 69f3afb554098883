/** Attachments and stickers of a message. */
import type { IncomingMedia, MediaKind } from '@palimpsest/core';
import { writeReference } from './discord-media.ts';
import { snapshotsOf } from './message-snapshots.ts';
import { listOfFields, optionalFields, optionalText, type Fields } from './read-fields.ts';

/**
 * In the order in which they stand, those of a message that is passed on behind them, those of one that is answered last;
 * one that lacks its id or link is left out.
 */
export function readAttachments(data: Fields): readonly IncomingMedia[] {
  const answered = optionalFields(data, 'referenced_message');
  return [
    ...filesIn(data),
    ...snapshotsOf(data).flatMap(filesIn),
    ...(answered ? filesIn(answered).map((media) => ({ ...media, isAnswered: true as const })) : []),
  ];
}

function filesIn(data: Fields): readonly IncomingMedia[] {
  return [
    ...listOfFields(data, 'attachments').flatMap(readAttachment),
    ...listOfFields(data, 'sticker_items').flatMap(readSticker),
  ];
}

function readAttachment(attachment: Fields): IncomingMedia[] {
  const [id, url] = [optionalText(attachment, 'id'), optionalText(attachment, 'url')];
  if (id === undefined || url === undefined) return [];
  const [name, mime] = [optionalText(attachment, 'filename'), optionalText(attachment, 'content_type')];
  const { size, duration_secs: seconds } = attachment;
  return [
    {
      kind: kindOf(mime ?? '', typeof attachment['waveform'] === 'string'),
      reference: writeReference({ id, url }),
      ...(name !== undefined && { name }),
      ...(mime !== undefined && { mime }),
      ...(Number.isSafeInteger(size) && { bytes: Number(size) }),
      ...(typeof seconds === 'number' && { seconds: Math.round(seconds) }),
    },
  ];
}

function kindOf(mime: string, isVoice: boolean): MediaKind {
  if (isVoice) return 'voice';
  const [family] = mime.split('/', 1);
  if (family === 'image') return 'photo';
  return family === 'audio' || family === 'video' ? family : 'document';
}

function readSticker(sticker: Fields): IncomingMedia[] {
  const [id, name] = [optionalText(sticker, 'id'), optionalText(sticker, 'name')];
  return id === undefined ? [] : [{ kind: 'sticker', reference: id, ...(name !== undefined && { name }) }];
}
