import { accountKey } from '@palimpsest/core';
import type { AccountHealth, PagesDeps } from '../deps.ts';
import { problemOf } from '../error-response.ts';

export interface ReadyCheck {
  name: string;
  ok: boolean;
  detail: string;
}

/** A check that has not answered by then has failed. */
const checkMs = 2_000;
/** Two to three long polls of Telegram (50 s), three heartbeats of Discord (41 s). */
const silentMs = 130_000;

type ReadyDeps = Pick<PagesDeps, 'operators' | 'queue' | 'leases' | 'health' | 'clock' | 'owner'>;

/** Every check of /readyz, side by side; none throws. Fed by what really happened, never by "started". */
export function readyChecks(deps: ReadyDeps): Promise<ReadyCheck[]> {
  const accounts = deps.health
    .accounts()
    .map((account) => check(`account ${accountKey(account.account)}`, () => accountAlive(deps, account)));
  return Promise.all([
    check('database', () => databaseReady(deps)),
    check('queue', () => queueReady(deps)),
    ...accounts,
  ]);
}

async function check(name: string, work: () => Promise<string>): Promise<ReadyCheck> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${checkMs} ms`)), checkMs);
  });
  try {
    return { name, ok: true, detail: await Promise.race([work(), late]) };
  } catch (thrown) {
    return { name, ok: false, detail: problemOf(thrown) };
  } finally {
    clearTimeout(timer);
  }
}

async function databaseReady(deps: ReadyDeps): Promise<string> {
  const { version, migrated } = await deps.operators.ping();
  if (!migrated)
    throw new Error(`PostgreSQL ${version} is not migrated; run npm run -s palimpsest -- migrate`);
  return `PostgreSQL ${version}, migrated`;
}

async function queueReady(deps: ReadyDeps): Promise<string> {
  await deps.queue.ping();
  return `BullMQ on ${deps.queue.backend}`;
}

/** Alive: another live process polls this account, or this one does and heard from the platform lately. */
async function accountAlive(deps: ReadyDeps, { account, lastAlive }: AccountHealth): Promise<string> {
  const holder = await deps.leases.holder(`poller:${accountKey(account)}`);
  if (!holder) throw new Error('no process listens to this account; the log of the gateway says why');
  if (holder.owner !== deps.owner) return 'another process listens';
  if (account.platform === 'local') return 'listening';
  if (!lastAlive) throw new Error('nothing heard from the platform yet');
  const agoMs = deps.clock.now().getTime() - lastAlive.getTime();
  const ago = `last sign of life ${Math.round(agoMs / 1000)} s ago`;
  if (agoMs > silentMs) throw new Error(ago);
  return ago;
}
