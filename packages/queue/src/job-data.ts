import { createHash } from 'node:crypto';

import type { MaintenanceTask } from '@palimpsest/core';

/*
 * What jobs carry: ids and flags, never text. Written by one process and read by another that may be newer or older,
 * so everything is checked again when a job is taken.
 */

export const turnsQueue = 'turns';
export const maintenanceQueue = 'maintenance';

/** One queue an account, so that a slow or blocked account holds up nobody else. BullMQ refuses ':' in names. */
export function deliveriesQueue(account: string): string {
  return `deliveries-${account.replaceAll(':', '-')}`;
}

/** Files of an account's messages; its token is needed to fetch them, so each account has a queue. */
export function mediaQueue(account: string): string {
  return `media-${account.replaceAll(':', '-')}`;
}

/** Session ids may hold any character; BullMQ builds keys from this one. */
export function coalescingId(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex').slice(0, 32);
}

/** The session of a `turns` job; null when the job is not one of ours. */
export function readSessionJob(data: unknown): string | null {
  return isRecord(data) && isId(data['sessionId']) ? data['sessionId'] : null;
}

/** The task of a `maintenance` job; null when the job is not one of ours. */
export function readMaintenanceJob(data: unknown): MaintenanceTask | null {
  if (!isRecord(data) || !isId(data['sessionId'])) return null;
  const { kind, sessionId } = data;
  if (kind !== 'prepare' && kind !== 'idle' && kind !== 'debt') return null;
  return { kind, sessionId, urgent: data['urgent'] === true };
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return data !== null && typeof data === 'object' && !Array.isArray(data);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 500;
}
