import { accountKey, draftOfStop, never, type Signal, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { draftIdOf } from '../draft-id.ts';
import { noticeIn } from '../texts.ts';
import { sayIn } from '../words/say.ts';
import { queueCommand } from './queue-command.ts';
import { statusReply } from './status-reply.ts';

/** Does it end the turn that runs? A stop under the draft of another turn does not. */
export function endsTurn({ kind, argument }: Signal, running: Turn | null): boolean {
  if (kind === 'make_way') return true;
  const draft = draftOfStop(argument);
  return kind === 'stop' && running !== null && (draft === null || draft === String(draftIdOf(running.id)));
}

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
      if (endsTurn(signal, running)) return noticeIn(chat, 'stopping');
      return noticeIn(chat, draftOfStop(signal.argument) === null ? 'nothingRuns' : 'answerIsOver');
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
