import type { Turn } from '@palimpsest/core';
import { busyModeOf } from './busy-mode.ts';
import type { ClaimedSession } from './claimed-session.ts';
import { workOptions } from './work-options.ts';

/** Between two requests of a turn: with mode steer, what was said meanwhile joins it. */
export async function steerTurn(claimed: ClaimedSession, turn: Turn): Promise<void> {
  if (busyModeOf(claimed) !== 'steer') return;
  const joined = await claimed.deps.store.turns.joinTurn(claimed.lease, turn, workOptions(claimed));
  turn.mailbox = [...turn.mailbox, ...joined.mailbox];
  claimed.view.append(joined.rows);
}
