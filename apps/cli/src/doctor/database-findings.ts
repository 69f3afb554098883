import { GatewayError, type Store } from '@palimpsest/core';
import type { Settings } from '../settings.ts';
import { withStoreOf } from '../with-store.ts';
import { counted, fine, problem, warning, type Finding } from './finding.ts';
import { graphFindings } from './graph-findings.ts';

/** Above this the times in messages and the ages in alerts are wrong enough to mislead. */
const clockToleranceMs = 2_000;
/** A message that waits longer than this has nobody who takes it. */
const waitsLongSeconds = 120;

/** Server, schema, clock, who was turned away, what waits, and the graphs of the lossless engine. */
export async function databaseFindings(settings: Settings): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    await withStoreOf(settings, async (store) => void findings.push(...(await look(store))), {
      evenUnmigrated: true,
    });
    return findings;
  } catch (thrown) {
    return [problem('database', thrown instanceof GatewayError ? thrown.message : 'could not be asked')];
  }
}

async function look(store: Store): Promise<Finding[]> {
  const askedAt = Date.now();
  const { version, migrated, unknownMigrations, now, ctype } = await store.operators.ping();
  const differenceMs = now.getTime() - (askedAt + Date.now()) / 2;
  const server = [ctypeFinding(ctype), clockFinding(differenceMs)];
  if (!migrated)
    return [
      problem(
        'database',
        `Postgres ${version}, not migrated: run npm start, or npm run -s palimpsest -- migrate`,
      ),
      ...server,
    ];
  const newer = `${counted(unknownMigrations, 'migration')} that this version does not know`;
  return [
    unknownMigrations === 0
      ? fine('database', `Postgres ${version}, migrated`)
      : problem(
          'database',
          `Postgres ${version} was migrated by a newer version (${newer}): start that version again, or restore a backup from before into another database`,
        ),
    ...server,
    ...(await turnedAway(store)),
    await waitingFinding(store),
    ...(await graphFindings(store)),
  ];
}

/** With the ctype C, Chinese, Japanese and Korean have no trigrams: a search for their words finds nothing. */
export function ctypeFinding(ctype: string): Finding {
  if (!/^(C|POSIX)$/i.test(ctype)) return fine('database', `characters as in ${ctype}`);
  return warning(
    'database',
    `LC_CTYPE is ${ctype}: searching Chinese, Japanese or Korean finds nothing; make a database with LC_CTYPE C.UTF-8, then backup and restore`,
  );
}

export function clockFinding(differenceMs: number): Finding {
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1);
  if (Math.abs(differenceMs) <= clockToleranceMs)
    return fine('clock', `this machine and the database agree within ${seconds} s`);
  const which = differenceMs > 0 ? 'behind' : 'ahead of';
  return warning(
    'clock',
    `this machine is ${seconds} s ${which} the database: set both by NTP; waits and leases go by the database, times that people read and ages in alerts by this machine`,
  );
}

async function turnedAway(store: Store): Promise<Finding[]> {
  return (await store.operators.denied(5)).map(({ platform, senderId, times }) =>
    warning(
      'access',
      `${platform} ${senderId} was turned away ${times === 1 ? 'once' : `${times} times`}; to let them in: npm run -s palimpsest -- access allow ${platform} ${senderId}`,
    ),
  );
}

const whereWorkersAre = 'look whether a worker runs (npm start, or palimpsest worker) and what its log says';

const waiting = (messages: number): string =>
  messages === 1 ? '1 message waits' : `${messages.toLocaleString('en')} messages wait`;

/** What was stored and nobody has taken or ended, and what was given up. */
async function waitingFinding(store: Store): Promise<Finding> {
  const { mailboxPending, oldestPendingSeconds, turnsLeft, outboxUnknown, outboxDead } =
    await store.operators.figures();
  const isOld = oldestPendingSeconds > waitsLongSeconds;
  if (isOld || turnsLeft > 0) {
    const what = [
      ...(isOld ? [`${waiting(mailboxPending)}, the oldest for ${Math.round(oldestPendingSeconds)} s`] : []),
      ...(turnsLeft > 0 ? [`${counted(turnsLeft, 'answer')} begun and left by the worker`] : []),
    ];
    return problem('work', `${what.join('; ')}: ${whereWorkersAre}`);
  }
  if (outboxUnknown + outboxDead > 0)
    return warning(
      'work',
      `given up: ${counted(outboxDead, 'reply', 'replies')}; without a receipt: ${outboxUnknown}; npm run -s palimpsest -- dead list`,
    );
  return fine(
    'work',
    mailboxPending === 0 ? 'no message waits' : `${waiting(mailboxPending)}, none for long`,
  );
}
