import type { Command } from '@palimpsest/core';

const pattern = /^\/([a-z0-9_]{1,32})(?:@([A-Za-z0-9_]{1,64}))?(?:\s+([\s\S]*))?$/i;

/**
 * `/name argument` or `/name@bot argument` at the very start of a text; null for anything else.
 * `botName` null: a suffix is never ours (platforms without one).
 */
export function parseCommand(text: string, botName: string | null): Command | null {
  const found = pattern.exec(text.trim());
  if (!found) return null;
  const [, name, suffix, argument] = found;
  if (suffix !== undefined && suffix.toLowerCase() !== botName?.toLowerCase()) return null;
  return { name: name!.toLowerCase(), argument: (argument ?? '').trim() };
}
