import type { MenuCommand } from '@palimpsest/core';
import { commandList } from './command-list.ts';

/** The chat commands as the platforms' menus show them. `adminOnly`: names that the operator keeps for admins. */
export function menuCommands(adminOnly: readonly string[]): readonly MenuCommand[] {
  return commandList.map(({ name, description, brief, argument, directOnly = false }) => ({
    name,
    description: brief ?? description,
    ...(argument === undefined ? {} : { argument }),
    directOnly,
    adminOnly: adminOnly.includes(name),
  }));
}
