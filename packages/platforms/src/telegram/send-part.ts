import type { OutgoingPart } from '@palimpsest/core';
import { InputFile, type Api } from 'grammy';
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
  const options = {
    link_preview_options: { is_disabled: true },
    // The port names the kinds of entities by plain words; the server checks them.
    ...(form !== undefined && { entities: [...form.entities] as MessageEntity[] }),
    ...place,
  };
  return api.sendMessage(chatId, text, options, signal);
}
