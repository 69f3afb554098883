/** Slash commands of the application, told to Discord only when they changed: 200 may be made a day. */
import { createHash } from 'node:crypto';
import type { CommandMenu, Logger, MenuCommand } from '@palimpsest/core';
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  type REST,
  Routes,
} from 'discord.js';

export interface Deployment {
  rest: REST;
  applicationId: string;
  menu: CommandMenu;
  logger: Logger;
}

/** Never throws: what was not told is told at the next start. */
export async function deployCommands({ rest, applicationId, menu, logger }: Deployment): Promise<void> {
  const body = menu.commands.map(definitionOf);
  const name = `discord-commands-${applicationId}`;
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  try {
    if ((await menu.lastTold(name)) === hash) return;
    await rest.put(Routes.applicationCommands(applicationId), { body });
    await menu.remember(name, hash);
    logger.info({ applicationId, commands: body.length }, 'slash commands deployed');
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    logger.warn(
      { applicationId, code },
      'slash commands were not deployed; typed ones work, and it is tried again at the next start',
    );
  }
}

/** Discord's names of our languages, where they are not the two letters themselves. */
const locales: Readonly<Record<string, readonly string[]>> = {
  es: ['es-ES', 'es-419'],
  pt: ['pt-BR'],
};

function localised(translations: MenuCommand['translations']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(translations).flatMap(([language, text]) =>
      (locales[language] ?? [language]).map((locale) => [locale, text]),
    ),
  );
}

function definitionOf({ name, description, translations, argument, directOnly }: MenuCommand) {
  const { BotDM, Guild } = InteractionContextType;
  return {
    type: ApplicationCommandType.ChatInput,
    name,
    description,
    description_localizations: localised(translations),
    contexts: directOnly ? [BotDM] : [Guild, BotDM],
    options:
      argument === undefined
        ? []
        : [
            {
              type: ApplicationCommandOptionType.String,
              name: 'text',
              description: argument,
              required: false,
            },
          ],
  };
}
