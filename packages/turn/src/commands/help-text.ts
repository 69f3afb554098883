import type { MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { commandList } from './command-list.ts';
import { mayRun } from './may-run.ts';

/** The commands that whoever asks may use where they ask. */
export function helpText(claimed: ClaimedSession, row: MailboxRow): string {
  const own = commandList.filter((command) => row.chat.place.kind === 'direct' || !command.directOnly);
  return [...own, ...claimed.engine.commands()]
    .filter(({ name }) => mayRun(claimed, row, name))
    .map((command) => `/${command.name} – ${command.description}`)
    .join('\n');
}
