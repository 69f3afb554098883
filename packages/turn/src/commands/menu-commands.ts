import type { MenuCommand } from '@palimpsest/core';
import { languages } from '../words/words-for.ts';
import { commandList } from './command-list.ts';

/** The chat commands as the platforms' menus show them. `isForUsers`: whether people who are no admins may use one. */
export function menuCommands(isForUsers: (name: string) => boolean): readonly MenuCommand[] {
  return commandList.map(({ name, description, brief, argument, directOnly = false }) => ({
    name,
    description: brief ?? description,
    translations: translationsOf(name),
    ...(argument === undefined ? {} : { argument }),
    directOnly,
    adminOnly: !isForUsers(name),
  }));
}

function translationsOf(name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(languages).flatMap(([language, { menu }]) => {
      const description = menu[name];
      return description === undefined ? [] : [[language, description]];
    }),
  );
}
