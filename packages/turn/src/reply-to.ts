import type { Turn } from '@palimpsest/core';

/** In groups the answer points at the newest message it answers; in a direct chat the order says it. */
export function replyTo(turn: Turn): string | undefined {
  if (turn.chat.place.kind !== 'group') return undefined;
  const newest = turn.mailbox.findLast((row) => row.content.kind === 'message');
  return newest?.content.kind === 'message' ? newest.content.message.messageId : undefined;
}
