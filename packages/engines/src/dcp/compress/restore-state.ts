import type { DcpChange, DcpState, MessageRow, TranscriptView } from '@palimpsest/core';
import type { DcpConfig } from './ground.ts';
import { replayCalls } from './replay-calls.ts';

/**
 * What a conversation that came without a state is to be given: the blocks of the compress calls in it. Asked before a
 * request; costs nothing where there is a state or no tool call.
 */
export async function restoreState(
  state: DcpState,
  config: DcpConfig,
  view: Pick<TranscriptView, 'rows' | 'bodies'>,
): Promise<Omit<DcpChange, 'baseVersion'> | null> {
  const isEmpty = state.version === 0 && state.nextRef === 1;
  if (!isEmpty || !view.rows.some((row) => row.toolCallIds.length > 0)) return null;
  const bodies = await view.bodies(view.rows.map((row) => row.id));
  const rows = view.rows.flatMap((row): MessageRow[] => {
    const body = bodies.get(row.id);
    return body ? [body] : [];
  });
  const change = replayCalls(rows, config);
  if (change === null) return null;
  const { baseVersion: _empty, ...restored } = change;
  return restored;
}
