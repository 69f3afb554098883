/** Which faults come when: decided by the seed alone, so that a run can be played again. */
import { between, pick, seededRandom, type Random } from './random.ts';

/** The processes of a run, by name. */
export const programs = ['gateway-1', 'gateway-2', 'worker-1', 'worker-2', 'worker-3'] as const;
export type ProgramName = (typeof programs)[number];

/** What stands on the other end of a line that can be cut or slowed down. */
export const servers = ['postgres', 'redis', 'telegram', 'discord', 'model'] as const;
export type ServerName = (typeof servers)[number];

const telegramFaults = ['conflict', 'flood', 'error', 'page', 'lost_answer', 'cut', 'slow'] as const;
const modelFaults = [
  'rate_limit',
  'overloaded',
  'server_error',
  'cut_stream',
  'mid_stream_error',
  'reset',
  'html',
  'blank_body',
  'cut_body',
] as const;

/** One thing that goes wrong. `forMs`: how long; kills and crashes are followed by a new start at once. */
export type Fault =
  | { kind: 'kill'; program: ProgramName }
  /** SIGSTOP, longer than a lease. */
  | { kind: 'freeze'; program: ProgramName; forMs: number }
  | { kind: 'redis_emptied' }
  | { kind: 'redis_stopped' | 'redis_frozen'; forMs: number }
  /** Immediate shutdown: connections break, what was not committed is gone. */
  | { kind: 'postgres_crash' }
  /** The line of one program, or of all, to a server: nothing passes. */
  | { kind: 'cut'; server: ServerName; program: ProgramName | 'all'; forMs: number }
  /** Every piece is this late. */
  | { kind: 'slow'; server: ServerName; program: ProgramName | 'all'; forMs: number; delayMs: number }
  /** Answers break off in the middle. */
  | { kind: 'half'; server: ServerName; program: ProgramName | 'all'; forMs: number }
  | {
      kind: 'telegram';
      how: (typeof telegramFaults)[number];
      method: 'getUpdates' | 'sendMessage' | 'any';
      times: number;
    }
  | { kind: 'discord'; how: 'limit' | 'error' | 'lost_answer'; times: number }
  /** The socket goes; what is said meanwhile is missed. `resumable` false: the session is forgotten too. */
  | { kind: 'discord_gone'; resumable: boolean; forMs: number }
  | { kind: 'model'; how: (typeof modelFaults)[number]; times: number }
  /** The clock of one program jumps. */
  | { kind: 'clock'; program: ProgramName; byMs: number }
  /** Telegram gives an update again that was confirmed before. */
  | { kind: 'repeated_update' };

export interface PlannedFault {
  /** Since the start of the talk. */
  readonly atMs: number;
  readonly fault: Fault;
}

const longestPauseMs = 4_000;
const shortestPauseMs = 700;
/** A lease of the run is 5 s. */
const overALeaseMs = [6_000, 9_000] as const;

/** All faults of a run, in order of time; `forMs` of the whole run. */
export function planFaults(seed: number, runMs: number): readonly PlannedFault[] {
  const random = seededRandom(seed);
  const planned: PlannedFault[] = [];
  for (let atMs = 1_000; ;) {
    atMs += between(random, shortestPauseMs, longestPauseMs);
    if (atMs >= runMs) return planned;
    planned.push({ atMs, fault: inventFault(random) });
  }
}

type Maker = (random: Random) => Fault;

const makers: readonly (readonly [weight: number, make: Maker])[] = [
  [6, (random) => ({ kind: 'kill', program: anyProgram(random) })],
  [3, (random) => ({ kind: 'freeze', program: anyProgram(random), forMs: between(random, ...overALeaseMs) })],
  [2, () => ({ kind: 'redis_emptied' })],
  [1, (random) => ({ kind: 'redis_stopped', forMs: between(random, 500, 6_000) })],
  [1, (random) => ({ kind: 'redis_frozen', forMs: between(random, 500, 6_000) })],
  [2, () => ({ kind: 'postgres_crash' })],
  [4, (random) => ({ kind: 'cut', ...anyLine(random), forMs: between(random, 50, 7_000) })],
  [
    2,
    (random) => ({
      kind: 'slow',
      ...anyLine(random),
      forMs: between(random, 1_000, 6_000),
      delayMs: between(random, 20, 400),
    }),
  ],
  [2, (random) => ({ kind: 'half', ...anyLine(random), forMs: between(random, 300, 3_000) })],
  [3, telegramFault],
  [
    2,
    (random) => ({
      kind: 'discord',
      how: pick(random, [
        [1, 'limit'],
        [1, 'error'],
        [1, 'lost_answer'],
      ] as const),
      times: between(random, 1, 3),
    }),
  ],
  [2, (random) => ({ kind: 'discord_gone', resumable: random() < 0.5, forMs: between(random, 200, 4_000) })],
  [
    3,
    (random) => ({
      kind: 'model',
      how: pick(
        random,
        modelFaults.map((how) => [1, how] as const),
      ),
      times: between(random, 1, 4),
    }),
  ],
  [
    1,
    (random) => ({
      kind: 'clock',
      program: anyProgram(random),
      byMs: between(random, -3_600_000, 3_600_000),
    }),
  ],
  [2, () => ({ kind: 'repeated_update' })],
];

function inventFault(random: Random): Fault {
  return pick(random, makers)(random);
}

function telegramFault(random: Random): Fault {
  const how = pick(random, [
    // The poller then waits for a minute: the rule for two at once.
    [0.3, 'conflict'],
    ...telegramFaults.slice(1).map((one) => [1, one] as const),
  ] as const);
  const method = how === 'conflict' ? 'getUpdates' : pick(random, methods);
  return { kind: 'telegram', how, method, times: how === 'conflict' ? 1 : between(random, 1, 4) };
}

const methods = [
  [2, 'sendMessage'],
  [1, 'getUpdates'],
  [1, 'any'],
] as const;

function anyProgram(random: Random): ProgramName {
  return pick(
    random,
    programs.map((name) => [1, name] as const),
  );
}

function anyLine(random: Random): { server: ServerName; program: ProgramName | 'all' } {
  const server = pick(
    random,
    servers.map((name) => [name === 'postgres' || name === 'redis' ? 2 : 1, name] as const),
  );
  return { server, program: random() < 0.5 ? 'all' : anyProgram(random) };
}
