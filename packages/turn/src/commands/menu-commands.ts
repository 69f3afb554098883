import type { MenuCommand } from '@palimpsest/core';
import { commandList } from './command-list.ts';

/** The chat commands as the platforms' menus show them. `isForUsers`: whether people who are no admins may use one. */
export function menuCommands(isForUsers: (name: string) => boolean): readonly MenuCommand[] {
  return commandList.map(({ name, description, brief, argument, directOnly = false }) => ({
    name,
    description: brief ?? description,
    ...(argument === undefined ? {} : { argument }),
    directOnly,
    adminOnly: !isForUsers(name),
  }));
}
