/** Which updates a bot gets. */
import type { Update } from './types.ts';

// Left out unless asked for by name.
const OPT_IN = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);

/** The field of an update that is not its id. */
export function updateKind(update: Update): string {
  return Object.keys(update).find((key) => key !== 'update_id') ?? '';
}

/** True if the update passes `allowed_updates`; an empty list is the default set. */
export function isAllowed(update: Update, allowed: readonly string[]): boolean {
  const kind = updateKind(update);
  return allowed.length === 0 ? !OPT_IN.has(kind) : allowed.includes(kind);
}
