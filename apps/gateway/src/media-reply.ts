import { type MediaTask, type NewReply, notice, type SettledMedia, sizeWords } from '@palimpsest/core';

/** What the sender is told of files that were not taken; nothing where all were. */
export function mediaReply(task: MediaTask, settled: readonly SettledMedia[]): readonly NewReply[] {
  const text = noticeOf(settled);
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

function noticeOf(settled: readonly SettledMedia[]): string | null {
  const left = settled.flatMap(({ state }) => (state.kind === 'left' ? [state] : []));
  const tooLarge = left.find(({ problem }) => problem === 'too_large');
  if (tooLarge)
    return `That file is too large for me: I can take up to ${sizeWords(tooLarge.limitBytes ?? 0)}. Please send a smaller one, or the part that matters.`;
  const isLost = left.some(({ problem }) => problem === 'gone' || problem === 'unreachable');
  return isLost ? 'I could not fetch that file. Please send it again.' : null;
}
