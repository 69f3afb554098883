import { defaultConfig, emptyDcpState, type DcpNudgeState } from '@palimpsest/core';
import { expect, test } from 'vitest';
import {
  decideNudge,
  nudgeAfterAttempt,
  raisedNudge,
  type NudgeSituation,
} from '../../../packages/engines/src/dcp/nudges/decide-nudge.ts';
import { DcpWorld, dcpConfig, linesOf, type DcpChanges } from '../../support/dcp-world.ts';
import { words } from '../../support/memory-transcript.ts';

const limits = { minTokens: 50_000, maxTokens: 100_000 };
const calm: NudgeSituation = {
  usageTokens: 120_000,
  limits,
  lastUnit: 'person',
  hasAnswer: true,
  stepsSincePerson: 0,
  justCompressed: false,
  spans: ['m0001 to m0009'],
  blocks: [],
};
const fresh = emptyDcpState();

function decide(
  situation: Partial<NudgeSituation> = {},
  nudge: Partial<DcpNudgeState> = {},
  config: DcpChanges = {},
) {
  const state = { ...fresh, nudge: { ...fresh.nudge, ...nudge } };
  return decideNudge(state, { ...calm, ...situation }, dcpConfig(config).context.dcp);
}

test.each([
  ['above the upper limit', { usageTokens: 100_001 }, 'context_limit'],
  ['at the upper limit with a message of the person last', { usageTokens: 100_000 }, 'turn'],
  ['at the lower limit with a message of the person last', { usageTokens: 50_000 }, 'turn'],
  ['many steps after it', { usageTokens: 60_000, lastUnit: 'steps', stepsSincePerson: 15 }, 'iteration'],
] as const)('%s the nudge is of its kind', (_name, situation, kind) => {
  expect(decide(situation).words?.kind).toBe(kind);
});

test.each([
  ['below the lower limit', { usageTokens: 49_999 }],
  ['without any answer yet', { usageTokens: 60_000, hasAnswer: false }],
  ['few steps after a message', { usageTokens: 60_000, lastUnit: 'steps', stepsSincePerson: 14 }],
  ['when nothing would gain enough', { spans: [] }],
  ['when the newest step has just compressed', { justCompressed: true }],
  ['when the window is not known', { limits: null }],
  ['until the size is known again', { usageTokens: 0 }],
] as const)('%s nothing is said', (_name, situation) => {
  expect(decide(situation).words).toBeNull();
});

test('manual mode, ask and deny say nothing by themselves', () => {
  const config = defaultConfig().context.dcp;
  const manual = { ...fresh, manualMode: true };

  expect(decideNudge(manual, calm, config).words).toBeNull();
  expect(decide({}, {}, { compress: { permission: 'ask' } }).words).toBeNull();
  expect(decide({}, {}, { compress: { permission: 'deny' } }).words).toBeNull();
});

test('above the limit it is said again after five model calls, and more firmly each time it was passed over', () => {
  let nudge = fresh.nudge;
  const levels: string[] = [];
  for (let call = 0; call < 16; call++) {
    const decision = decideNudge({ ...fresh, nudge }, calm, defaultConfig().context.dcp);
    levels.push(decision.words?.level ?? '-');
    nudge = decision.nudge ?? nudge;
  }

  expect(levels.join(' ')).toBe('soft - - - - strong - - - - emergency - - - - emergency');
});

test('nudgeForce strong begins firmly; between the limits a nudge never grows firmer', () => {
  const between = { usageTokens: 60_000 };
  const passedOver: Partial<DcpNudgeState> = { level: 'soft', lastKind: 'turn', callsSinceNudge: 9 };

  expect(decide({}, {}, { compress: { nudgeForce: 'strong' } }).words?.level).toBe('strong');
  expect(decide(between, passedOver).words?.level).toBe('soft');
});

test('the limit does not wait for a gentler nudge that was just shown', () => {
  expect(decide({}, { level: 'soft', lastKind: 'turn', callsSinceNudge: 0 }).words?.kind).toBe(
    'context_limit',
  );
});

test('D36 a failed compress call takes the level back and makes the wait longer, never shorter', () => {
  const config = defaultConfig().context.dcp;
  const firm: DcpNudgeState = {
    level: 'strong',
    lastKind: 'context_limit',
    callsSinceNudge: 2,
    restCalls: 0,
    failedAttempts: 0,
  };

  const once = nudgeAfterAttempt(firm, false, config);
  const twice = nudgeAfterAttempt(once, false, config);
  const waiting = nudgeAfterAttempt({ ...firm, restCalls: 400 }, false, config);

  expect(once).toEqual({
    level: 'none',
    lastKind: null,
    callsSinceNudge: 0,
    restCalls: 10,
    failedAttempts: 1,
  });
  expect(twice.restCalls).toBe(20);
  expect(waiting.restCalls).toBe(400);
  expect(decide({}, once).words).toBeNull();
  expect(decide({}, { ...once, restCalls: 0 }).words?.level).toBe('soft');
  expect(nudgeAfterAttempt(twice, true, config)).toMatchObject({ restCalls: 0, failedAttempts: 0 });
});

test('D36 a refused call of the model is counted and the next reminder waits', async () => {
  const config = { compress: { maxContextLimit: 2_000, minContextLimit: 1_000 } };
  const world = new DcpWorld({ windowTokens: 32_000, config });
  world.say('look around');
  world.step([{ id: 'z', result: words(3_000) }]);
  for (const id of ['a', 'b', 'c', 'd', 'e']) world.step([{ id, result: words(100) }]);
  await world.prompt();

  await world.range({ startId: 'm0004', endId: 'm0003', summary: 'wrong way round' });
  const next = await world.prompt();

  expect(linesOf(next).join('\n')).not.toContain('dcp-reminder');
  expect(world.state.nudge).toMatchObject({ level: 'none', failedAttempts: 1, restCalls: 9 });
  expect(world.state.counters).toMatchObject({ compressCalls: 1, compressFailures: 1, nudges: 1 });
});

test('after an emergency the next nudge above the limit comes at once and is firmer', () => {
  expect(decide({}, raisedNudge(fresh.nudge)).words?.level).toBe('strong');
});

test('D36 even where the service had to make room a failed attempt keeps its longer wait', () => {
  const waiting = { ...fresh.nudge, failedAttempts: 1, restCalls: 10, callsSinceNudge: 0 };

  expect(raisedNudge(waiting)).toMatchObject({ level: 'soft', restCalls: 10, callsSinceNudge: 0 });
  expect(decide({}, raisedNudge(waiting)).words).toBe(null);
});

test('a nudge of a turn is forgotten below the lower limit, one of the limit is not', () => {
  const below = { usageTokens: 10_000 };

  expect(decide(below, { level: 'soft', lastKind: 'turn', callsSinceNudge: 3 }).nudge?.lastKind).toBeNull();
  expect(
    decide(below, { level: 'soft', lastKind: 'context_limit', callsSinceNudge: 3 }).nudge?.lastKind,
  ).toBe('context_limit');
});
