/** The button under a draft → the command that it stands for. */
import { stopOfDraft, type IncomingContent } from '@palimpsest/core';
import { idIn, objectIn, type JsonObject } from './read-json.ts';
import { nameOf } from './read-sender.ts';

/** Drafts are shown in private chats only, whose id is the person's. Pressed twice under one draft, it is said once. */
export function normaliseStop(stopped: JsonObject): IncomingContent {
  const chat = objectIn(stopped.chat);
  const id = idIn(chat?.id);
  const draftId = idIn(stopped.draft_id);
  if (!chat || id === null || draftId === null)
    return { kind: 'unparsed', problem: 'a stop without a chat or a draft' };
  if (chat.type !== 'private')
    return { kind: 'ignored', reason: 'unsupported_kind', what: 'stop outside a private chat' };
  const name = nameOf(chat) ?? id;
  return {
    kind: 'message',
    chat: { chatId: id, threadId: idIn(stopped.message_thread_id) ?? '', kind: 'direct', title: name },
    sender: { id, name, isBot: false },
    messageId: draftId,
    text: '/stop',
    sentAt: new Date(),
    addressed: true,
    command: { name: 'stop', argument: stopOfDraft(draftId) },
  };
}
