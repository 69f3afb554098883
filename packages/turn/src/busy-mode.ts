import type { BusyMode } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

/** What becomes of messages that come while an answer is written: as chosen by /queue, else as the service is set. */
export function busyModeOf({ session, deps }: Pick<ClaimedSession, 'session' | 'deps'>): BusyMode {
  return session.busyMode ?? deps.config.display.busy_input_mode;
}
