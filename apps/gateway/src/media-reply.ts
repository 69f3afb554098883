import { type MediaTask, type NewReply, notice, type SettledMedia } from '@palimpsest/core';
import { sayIn, type Say } from '@palimpsest/turn';

/** What the sender is told of files that were not taken; nothing where all were. */
export function mediaReply(task: MediaTask, settled: readonly SettledMedia[]): readonly NewReply[] {
  const text = noticeOf(settled, sayIn(task.chat));
  if (text === null) return [];
  return [
    {
      key: `media-${task.inboxId}`,
      chat: task.chat,
      kind: 'notice',
      text: notice(text),
      ...(task.chat.place.kind === 'group' ? { replyToMessageId: task.messageId } : {}),
    },
  ];
}

function noticeOf(settled: readonly SettledMedia[], say: Say): string | null {
  const left = settled.flatMap(({ state }) => (state.kind === 'left' ? [state] : []));
  const tooLarge = left.find(({ problem }) => problem === 'too_large');
  if (tooLarge) return say('mediaTooLarge', { limit: say.size(tooLarge.limitBytes ?? 0) });
  const isLost = left.some(({ problem }) => problem === 'gone' || problem === 'unreachable');
  return isLost ? say('mediaLost') : null;
}
