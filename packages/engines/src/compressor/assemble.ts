import type { Assembled, PromptMessage, TranscriptView } from '@palimpsest/core';
import { sanitisePairs } from './sanitise-pairs.ts';

/** The next prompt: every live row in seq order, tool pairs made whole. The same rows give the same bytes. */
export async function assemble(view: TranscriptView): Promise<Assembled> {
  const bodies = await view.bodies(view.rows.map((row) => row.id));
  const messages: PromptMessage[] = view.rows.map((row) => ({
    role: row.role,
    parts: bodies.get(row.id)?.parts ?? [],
    rowId: row.id,
  }));
  return { messages: sanitisePairs(messages) };
}
