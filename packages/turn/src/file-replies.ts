import {
  largestUploadBytes,
  notice,
  type FileToSend,
  type NewReply,
  type NewRow,
  type Turn,
} from '@palimpsest/core';
import { replyTo } from './reply-to.ts';
import { sayIn } from './words/say.ts';

/** A reply for each file that a round's tools send; its key names the call, so that a repeated attempt writes it once. */
export function fileReplies(turn: Turn, rows: readonly NewRow[]): NewReply[] {
  return rows.flatMap((row) => {
    const call = row.parts.find((part) => part.type === 'tool_result');
    return (row.files ?? []).map((file, index) => ({
      key: `file-${turn.id}-${call?.callId ?? ''}-${index}`,
      chat: turn.chat,
      replyToMessageId: replyTo(turn),
      turnId: turn.id,
      ...(largestUploadBytes[turn.chat.account.platform] === 0 ? toldOf(turn, file) : sentAs(file)),
    }));
  });
}

function sentAs({ caption, ...file }: FileToSend): Pick<NewReply, 'kind' | 'text' | 'file'> {
  return { kind: 'final', text: caption, file };
}

/** Where no file can be shown. */
function toldOf({ chat }: Turn, { name }: FileToSend): Pick<NewReply, 'kind' | 'text'> {
  const say = sayIn(chat);
  return { kind: 'notice', text: notice(say('fileNotTaken', { name: say('quoted', { text: name }) })) };
}
