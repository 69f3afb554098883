import type { EngineStateChange } from '@palimpsest/core';
import type { Tell } from './attempts.ts';

/** What a plug-in keeps is read at every claim of the session. */
const maxCharacters = 1_000_000;

/** The state change of a plug-in, as long as it is its own state and JSON; else none, and it is told of. */
export function ownState(
  change: EngineStateChange | undefined,
  name: string,
  tell: Tell,
): EngineStateChange | undefined {
  if (change === undefined) return undefined;
  if (change.engine !== name) {
    tell('state', 'it wanted to change the state of another engine');
    return undefined;
  }
  try {
    const text = JSON.stringify(change.json ?? null);
    if (text.length <= maxCharacters) return { engine: name, json: JSON.parse(text) as unknown };
    tell('state', `its state is longer than ${maxCharacters} characters`);
  } catch {
    tell('state', 'its state is no JSON');
  }
  return undefined;
}
