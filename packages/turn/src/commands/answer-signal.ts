import { accountKey, never, type Signal, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { noticeIn } from '../texts.ts';
import { sayIn } from '../words/say.ts';
import { queueCommand } from './queue-command.ts';
import { statusReply } from './status-reply.ts';

/** Answer a signal at once. A running turn that was stopped says so itself, where no slash command waits for it. */
export async function answerSignal(
  claimed: ClaimedSession,
  signal: Signal,
  running: Turn | null,
): Promise<void> {
  const { store, queue } = claimed.deps;
  const text = await textFor(claimed, signal, running);
  if (text === null) return;
  await store.turns.addReplies(claimed.lease, [
    {
      key: `signal-${signal.id}`,
      chat: signal.chat,
      kind: 'notice',
      text,
      interaction: signal.interaction,
    },
  ]);
  await queue.deliver(accountKey(signal.chat.account));
}

async function textFor(
  claimed: ClaimedSession,
  signal: Signal,
  running: Turn | null,
): Promise<string | null> {
  const { kind, chat } = signal;
  switch (kind) {
    case 'stop':
      return noticeIn(chat, running ? 'stopping' : 'nothingRuns');
    case 'status':
      return statusReply(claimed, running, sayIn(chat));
    case 'queue':
      return queueCommand(claimed, signal, running);
    case 'make_way':
      return null;
    default:
      return never(kind);
  }
}
