/** Boards of a service in which nothing happens, and acts that need the real store. */
import type { ActionStore, Activity } from '@palimpsest/core';

export const quietDay = { turns: 0, failedTurns: 0, failedReplies: 0, failedCompactions: 0 };

export function quietMinutes(): Activity['minutes'] {
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
