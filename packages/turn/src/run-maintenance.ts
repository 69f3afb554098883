import { never, traced, type MaintenanceTask } from '@palimpsest/core';
import type { TurnDeps } from './deps.ts';
import { compactIdle } from './idle-compaction.ts';
import { prepareCompaction } from './prepare-compaction.ts';
import { settleDebt } from './settle-debt.ts';
import { hashedId } from './trace-turn.ts';

/** One maintenance job; what is to be done is read from the database. */
export function runMaintenance(deps: TurnDeps, task: MaintenanceTask, signal: AbortSignal): Promise<void> {
  return traced(deps, 'maintenance', {
    attributes: { 'gateway.task': task.kind, 'gateway.session': hashedId(task.sessionId) },
    work: () => runTask(deps, task, signal),
  });
}

function runTask(deps: TurnDeps, task: MaintenanceTask, signal: AbortSignal): Promise<void> {
  switch (task.kind) {
    case 'prepare':
      return prepareCompaction(deps, task.sessionId, signal);
    case 'idle':
      return compactIdle(deps, task.sessionId, signal);
    case 'debt':
      return settleDebt(deps, task.sessionId, signal);
    default:
      return never(task.kind);
  }
}
