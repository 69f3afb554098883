/** What the reasons of updates that went no further mean, and what to do. */
const words: ReadonlyMap<string, string> = new Map([
  ['not_allowlisted', 'the sender is in no list that counts there; `access allow` lets them in'],
  ['denied_by_operator', 'an operator denied the person or the chat; `access revoke` takes that back'],
  ['chat_not_allowed', 'allowed_chats names other groups; add this one, or `access allow … --chat`'],
  [
    'not_addressed',
    'it neither mentioned nor answered the bot, nor was it an edit of something the bot knows',
  ],
  ['ignored_chat', 'the config ignores the chat or thread (ignored_threads, chats.….ignored)'],
  ['bot_author', 'another bot wrote it; allow_bots says which are heard'],
  ['bot_loop', 'too many messages of bots in a row; a person must speak there first'],
  ['own_message', 'the bot wrote it itself'],
  ['mailbox_full', 'too much waited in the conversation already; the sender was told to say it again'],
  ['no_text', 'there was nothing in it that the bot reads'],
  ['unsupported_kind', 'a kind of update that the bot does not read'],
  ['poison', 'the database refused its contents; the raw update is kept'],
  ['taken_back', 'a command such as /new took it back while it waited'],
]);

/** A sentence; a word that nobody wrote a sentence for stands for itself. */
export function reasonWords(reason: string): string {
  return words.get(reason) ?? reason;
}
