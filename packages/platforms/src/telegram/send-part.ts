import type { OutgoingFile, OutgoingPart } from '@palimpsest/core';
import { GrammyError, InputFile, type Api } from 'grammy';
import type { MessageEntity } from 'grammy/types';
import type { clientSignal } from './telegram-account.ts';

/** One request to Telegram; `thread` is left out where Telegram takes none. Throws what grammY throws. */
export async function sendPart(
  api: Api,
  part: OutgoingPart & { thread: number | undefined },
  signal: ReturnType<typeof clientSignal>,
): Promise<{ message_id: number }> {
  const { text, form, replyToMessageId, thread } = part;
  const chatId = Number(part.place.chatId);
  const place = {
    ...(thread !== undefined && { message_thread_id: thread }),
    ...(replyToMessageId !== undefined && {
      reply_parameters: { message_id: Number(replyToMessageId), allow_sending_without_reply: true },
    }),
  };
  if (form?.kind === 'file') {
    const file = new InputFile(Buffer.from(text), form.name);
    return api.sendDocument(chatId, file, { caption: form.caption, ...place }, signal);
  }
  if (form?.kind === 'payload')
    return sendPayload(api, { ...part, file: form, place: { chatId, options: place } }, signal);
  const options = {
    link_preview_options: { is_disabled: true },
    // The port names the kinds of entities by plain words; the server checks them.
    ...(form?.kind === 'entities' && { entities: [...form.entities] as MessageEntity[] }),
    ...place,
  };
  return api.sendMessage(chatId, text, options, signal);
}

/** Telegram shows these in the chat. */
const pictures = ['image/jpeg', 'image/png', 'image/webp'];
const largestPhotoBytes = 10_000_000;

/** A picture in sight where Telegram takes it for one, else a file. */
async function sendPayload(
  api: Api,
  sending: Pick<OutgoingPart, 'text' | 'bytes'> & {
    place: { chatId: number; options: Record<string, unknown> };
    file: OutgoingFile;
  },
  signal: ReturnType<typeof clientSignal>,
): Promise<{ message_id: number }> {
  const { text, bytes = new Uint8Array(), file, place } = sending;
  const options = { ...(text !== '' && { caption: text }), ...place.options };
  const upload = () => new InputFile(bytes, file.name);
  if (!pictures.includes(file.mime) || bytes.length > largestPhotoBytes)
    return api.sendDocument(place.chatId, upload(), options, signal);
  try {
    return await api.sendPhoto(place.chatId, upload(), options, signal);
  } catch (thrown) {
    if (!isNoPhoto(thrown)) throw thrown;
    return api.sendDocument(place.chatId, upload(), options, signal);
  }
}

// PHOTO_INVALID_DIMENSIONS, IMAGE_PROCESS_FAILED, "not enough rights to send photos to the chat", CHAT_SEND_PHOTOS_FORBIDDEN.
function isNoPhoto(thrown: unknown): boolean {
  return (
    thrown instanceof GrammyError && thrown.error_code === 400 && /photo|image/i.test(thrown.description)
  );
}
