/** The menu of commands beside Telegram's text field: one for everybody, one for groups, one for each admin; each in all languages. */
import { createHash } from 'node:crypto';
import type { CommandMenu, MenuCommand } from '@palimpsest/core';
import type { Api } from 'grammy';
import type { BotCommandScope, LanguageCode } from 'grammy/types';
import { readFailure } from './read-failure.ts';
import { clientSignal, type TelegramAccount } from './telegram-account.ts';

export interface MenuPublication {
  account: TelegramAccount;
  api: Api;
  menu: CommandMenu;
  signal: AbortSignal;
}

interface ScopedMenu {
  scope: BotCommandScope;
  /** Two letters; null: for whoever has none of the others. */
  language: string | null;
  commands: readonly MenuCommand[];
}

/** Set the menus that changed since they were last set. Never throws: what was not set is set at the next start. */
export async function publishMenu(publication: MenuPublication): Promise<void> {
  const { account, signal } = publication;
  for (const scoped of menusOf(publication.menu)) {
    if (signal.aborted) return;
    try {
      await publishOne(publication, scoped);
    } catch (thrown) {
      account.logger.warn(
        { botId: account.botId, scope: scoped.scope.type, problem: readFailure(thrown).description },
        'the menu of commands was not set; typed ones work, and it is tried again at the next start',
      );
    }
  }
}

async function publishOne(
  { account, api, menu, signal }: MenuPublication,
  scoped: ScopedMenu,
): Promise<void> {
  const { scope, language } = scoped;
  const commands = scoped.commands.map(({ name, description, translations }) => ({
    command: name,
    description: translations[language ?? ''] ?? description,
  }));
  const place = 'chat_id' in scope ? `-${scope.chat_id}` : '';
  const suffix = language === null ? '' : `-${language}`;
  const name = `telegram-menu-${account.botId}-${scope.type}${place}${suffix}`;
  const hash = createHash('sha256').update(JSON.stringify(commands)).digest('hex');
  if ((await menu.lastTold(name)) === hash) return;
  const language_code = language as LanguageCode | null;
  const options = language_code === null ? { scope } : { scope, language_code };
  await api.setMyCommands(commands, options, clientSignal(signal));
  await menu.remember(name, hash);
}

/** An admin's direct chat has the admin's id. Without commands for admins they see what everybody sees. */
function menusOf({ commands, admins }: CommandMenu): ScopedMenu[] {
  const forEverybody = commands.filter((command) => !command.adminOnly);
  const forAdmins = forEverybody.length === commands.length ? [] : admins;
  const scoped: readonly Omit<ScopedMenu, 'language'>[] = [
    { scope: { type: 'default' }, commands: forEverybody },
    { scope: { type: 'all_group_chats' }, commands: forEverybody.filter((command) => !command.directOnly) },
    ...forAdmins.map((id) => ({ scope: { type: 'chat' as const, chat_id: Number(id) }, commands })),
  ];
  const languages = new Set(commands.flatMap(({ translations }) => Object.keys(translations)));
  return scoped.flatMap((menu) => [null, ...languages].map((language) => ({ ...menu, language })));
}
