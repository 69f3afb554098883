import type { MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { wordsFor } from '../words/words-for.ts';
import { commandList } from './command-list.ts';
import { mayRun } from './may-run.ts';

/** The commands that whoever asks may use where they ask. */
export function helpText(claimed: ClaimedSession, row: MailboxRow): string {
  const { menu, language } = wordsFor(row.content.kind === 'operator' ? {} : row.chat);
  const own = commandList.filter((command) => row.chat.place.kind === 'direct' || !command.directOnly);
  const engines = claimed.engine.commands().map(({ name, description, translations }) => ({
    name,
    description: translations?.[language] ?? description,
  }));
  return [
    ...own.map(({ name, description }) => ({ name, description: menu[name] ?? description })),
    ...engines,
  ]
    .filter(({ name }) => mayRun(claimed, row, name))
    .map(({ name, description }) => `/${name} – ${description}`)
    .join('\n');
}
