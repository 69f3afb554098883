import type { EngineStateChange, MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { notice } from '../texts.ts';
import { undoCompaction } from '../undo-compaction.ts';
import { commandList } from './command-list.ts';
import { compressCommand } from './compress-command.ts';
import { engineCommand } from './engine-command.ts';
import { engineOwnCommand } from './engine-own-command.ts';
import { modelCommand } from './model-command.ts';
import { newChapter } from './new-chapter.ts';
import { resetSession } from './reset-session.ts';
import { retryCommand } from './retry-command.ts';
import { undoCommand } from './undo-command.ts';

/**
 * Run one command or operator's request and close its mailbox row; every one gets an answer. /stop and /status never come
 * here: they are signals, which intake keeps beside the mailbox so that they reach a running turn.
 */
export async function runCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  signal: AbortSignal,
): Promise<void> {
  const { content } = row;
  if (content.kind !== 'command' && content.kind !== 'operator') return;
  const replyWith = (text: string): NewReply => replyTo(claimed, row, text);
  switch (content.command.name) {
    case 'new':
      return answer(claimed, row, await newChapter(claimed, row, signal));
    case 'reset':
      return resetSession(claimed, row);
    case 'compress':
    case 'compact':
      return answer(claimed, row, await compressCommand(claimed, content.command.argument, signal));
    case 'engine':
      return answer(claimed, row, await engineCommand(claimed, content.command.argument));
    case 'model':
      return answer(claimed, row, await modelCommand(claimed, content.command.argument));
    case 'undo':
      return refusalOf(
        claimed,
        row,
        undoCommand(claimed, row, { argument: content.command.argument, replyWith }),
      );
    case 'retry':
      return refusalOf(claimed, row, retryCommand(claimed, row, replyWith));
    case 'undo_compaction':
      return undo(claimed, row);
    case 'whoami':
      return answer(claimed, row, whoami(row));
    case 'start':
    case 'help':
      return answer(claimed, row, helpText(claimed));
    default:
      return runOther(claimed, row, { ...content.command, signal });
  }
}

/** A command of the session's engine; every other name is answered with those there are. */
async function runOther(
  claimed: ClaimedSession,
  row: MailboxRow,
  { signal, ...command }: { name: string; argument: string; signal: AbortSignal },
): Promise<void> {
  const own = await engineOwnCommand(claimed, command, signal);
  const text = own?.text ?? `There is no command /${command.name}.\n${helpText(claimed)}`;
  await answer(claimed, row, text, own?.engineStates);
}

/** What came back is answered with it; only a refusal is left to tell. */
async function undo(claimed: ClaimedSession, row: MailboxRow): Promise<void> {
  const end = await undoCompaction(claimed, row, (text) => replyTo(claimed, row, text));
  if (end.kind === 'refused') await answer(claimed, row, end.text);
}

/** What was done has told so itself; only why it was not is left to tell. */
async function refusalOf(
  claimed: ClaimedSession,
  row: MailboxRow,
  done: Promise<string | null>,
): Promise<void> {
  const refusal = await done;
  if (refusal !== null) await answer(claimed, row, refusal);
}

/** To the chat; what an operator asked is answered to the operator alone. */
async function answer(
  claimed: ClaimedSession,
  row: MailboxRow,
  ...[text, engineStates]: [text: string, engineStates?: readonly EngineStateChange[]]
): Promise<void> {
  const { turns } = claimed.deps.store;
  if (row.content.kind === 'operator') return turns.answerOperator(claimed.lease, row, text);
  await turns.finishCommand(claimed.lease, row, { replies: [replyTo(claimed, row, text)], engineStates });
}

function replyTo(claimed: ClaimedSession, row: MailboxRow, text: string): NewReply {
  return {
    key: `command-${claimed.session.id}-${row.seq}`,
    chat: row.chat,
    kind: 'notice',
    text: notice(text),
  };
}

function helpText({ engine }: ClaimedSession): string {
  return [...commandList, ...engine.commands()]
    .map((command) => `/${command.name} – ${command.description}`)
    .join('\n');
}

/** Ids for filling allow-lists. */
function whoami(row: MailboxRow): string {
  const { account, place } = row.chat;
  const who = row.content.kind === 'operator' ? 'operator' : row.content.message.senderId;
  const thread = place.threadId === '' ? '' : `, thread ${place.threadId}`;
  return `You are ${who} on ${account.platform}, bot account ${account.id}, chat ${place.chatId}${thread} (${place.kind}).`;
}
