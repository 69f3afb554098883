import { notice, type EngineStateChange, type MailboxRow, type NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo } from '../texts.ts';
import { undoCompaction } from '../undo-compaction.ts';
import { compressCommand } from './compress-command.ts';
import { contextCommand } from './context-command.ts';
import { engineCommand } from './engine-command.ts';
import { engineOwnCommand } from './engine-own-command.ts';
import { eraseMessageCommand } from './erase-message-command.ts';
import { forgetCommand } from './forget-command.ts';
import { helpText } from './help-text.ts';
import { mayRun } from './may-run.ts';
import { linkCommand, unlinkCommand } from './link-command.ts';
import { modelCommand } from './model-command.ts';
import { newChapter } from './new-chapter.ts';
import { resetSession } from './reset-session.ts';
import { resumeCommand } from './resume-command.ts';
import { retryCommand } from './retry-command.ts';
import { sessionsCommand } from './sessions-command.ts';
import { titleCommand } from './title-command.ts';
import { undoCommand } from './undo-command.ts';
import { usageCommand } from './usage-command.ts';
import { whoamiCommand } from './whoami-command.ts';

/** Other names of commands. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['compact', 'compress'],
  ['ctx', 'context'],
  ['start', 'help'],
]);

/**
 * Run one command or operator's request and close its mailbox row; every one gets an answer. /stop, /status and /queue
 * never come here: they are signals, which intake keeps beside the mailbox so that they reach a running turn.
 */
export async function runCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  signal: AbortSignal,
): Promise<void> {
  const { content } = row;
  if (content.kind !== 'command' && content.kind !== 'operator') return;
  const replyWith = (text: string): NewReply => replyTo(claimed, row, text);
  const { argument } = content.command;
  const say = sayTo(row);
  const name = aliases.get(content.command.name) ?? content.command.name;
  if (!mayRun(claimed, row, name)) return answer(claimed, row, say('operatorsOnly', { name }));
  switch (name) {
    case 'new':
      return answer(claimed, row, await newChapter(claimed, row, signal));
    case 'reset':
      return resetSession(claimed, row, replyWith);
    case 'compress':
      return answer(claimed, row, await compressCommand(claimed, { argument, say, signal }));
    case 'engine':
      return answer(claimed, row, await engineCommand(claimed, argument, say));
    case 'model':
      return answer(claimed, row, await modelCommand(claimed, argument, say));
    case 'undo':
      return refusalOf(claimed, row, undoCommand(claimed, row, { argument, replyWith }));
    case 'retry':
      return refusalOf(claimed, row, retryCommand(claimed, row, replyWith));
    case 'title':
      return answer(claimed, row, await titleCommand(claimed, argument, say));
    case 'sessions':
      return answer(claimed, row, await sessionsCommand(claimed, argument, say));
    case 'resume':
      return refusalOf(claimed, row, resumeCommand(claimed, row, { argument, replyWith }));
    case 'usage':
      return answer(claimed, row, await usageCommand(claimed, row));
    case 'context':
      return answer(claimed, row, await contextCommand(claimed, { say, signal }));
    case 'forget':
      return refusalOf(claimed, row, forgetCommand(claimed, row, { argument, replyWith }));
    case 'erase_message':
      if (content.kind === 'operator') return eraseMessageCommand(claimed, row, argument);
      return runOther(claimed, row, { name, argument, signal });
    case 'undo_compaction':
      return undo(claimed, row);
    case 'link':
      return refusalOf(claimed, row, linkCommand(claimed, row, { argument, replyWith }));
    case 'unlink':
      return refusalOf(claimed, row, unlinkCommand(claimed, row, { argument, replyWith }));
    case 'whoami':
      return answer(claimed, row, await whoamiCommand(claimed, row));
    case 'help':
      return answer(claimed, row, helpText(claimed, row));
    default:
      return runOther(claimed, row, { name, argument, signal });
  }
}

/** A command of the session's engine; every other name is answered with those there are. */
async function runOther(
  claimed: ClaimedSession,
  row: MailboxRow,
  command: { name: string; argument: string; signal: AbortSignal },
): Promise<void> {
  const say = sayTo(row);
  const own = await engineOwnCommand(claimed, { ...command, say });
  const text = own?.text ?? `${say('noCommand', { name: command.name })}\n${helpText(claimed, row)}`;
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
    ...(row.content.kind === 'operator' ? {} : { interaction: row.content.message.interaction }),
  };
}
