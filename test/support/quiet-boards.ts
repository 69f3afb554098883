/** Boards of a service in which nothing happens, and acts that need the real store. */
import type { ActionStore, Activity, BoardStore } from '@palimpsest/core';

const quietDay = { turns: 0, failedTurns: 0, failedReplies: 0, failedCompactions: 0 };

function quietMinutes(): Activity['minutes'] {
  const minuteMs = 60_000;
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  return Array.from({ length: 30 }, (_, index) => ({
    at: new Date(now - (29 - index) * minuteMs),
    messages: 0,
    turns: 0,
    failures: 0,
  }));
}

/** What operators change needs the real store. */
export function notPlayed(): Promise<never> {
  return Promise.reject(new Error('not played in memory: use the pages over the real store'));
}

export const noActions: ActionStore = {
  note: notPlayed,
  request: notPlayed,
  resetRests: notPlayed,
  resetBreaker: notPlayed,
  releaseLease: notPlayed,
  retryDelivery: notPlayed,
  dropDelivery: notPlayed,
  retryMessage: notPlayed,
  dropMessage: notPlayed,
};

/** give  hands an answer over, or fails as a store does that cannot be reached */
export function quietBoards(give: <Answer>(answer: Answer) => Promise<Answer>): BoardStore {
  return {
    activity: () => give({ minutes: quietMinutes(), day: quietDay }),
    compactions: () => give({ since: new Date(0), groups: [], spending: [], steps: [], applied: [] }),
    brakes: () => give({ resting: [], restingSessions: 0, full: [], fullSessions: 0, models: [] }),
    events: () => give([]),
    actions: () => give([]),
    deliveries: () => give([]),
    delivery: () => give(null),
    deadMessages: () => give([]),
    deadMessage: () => give(null),
    replacedRanges: () => give([]),
    writtenCounts: () => give(new Map()),
    keptRows: () => give(null),
    summaryPair: () => give(null),
    sessionHold: () => give(null),
    accounts: () => give(['local-local']),
  };
}
