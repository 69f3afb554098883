import type { Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { workOptions } from './work-options.ts';

/** Between two requests of a turn: with mode steer, what was said meanwhile joins it. */
export async function steerTurn(claimed: ClaimedSession, turn: Turn): Promise<void> {
  const { config, store } = claimed.deps;
  if (config.display.busy_input_mode !== 'steer') return;
  const joined = await store.turns.joinTurn(claimed.lease, turn, workOptions(claimed));
  turn.mailbox = [...turn.mailbox, ...joined.mailbox];
  claimed.view.append(joined.rows);
}
