/** What a plug-in engine is held to, and the border it may ask for. */
import { defaultConfig, parseConfig, silentLogger, type EngineFactory } from '@palimpsest/core';
import { engineRegistry, compressorFactory, resolveModelThreshold } from '@palimpsest/engines';
import { expect, test } from 'vitest';
import { Attempts } from '../../apps/worker/src/plug-in-engines/attempts.ts';
import { guardFactory } from '../../apps/worker/src/plug-in-engines/guard-factory.ts';
import { isMade } from '../../apps/worker/src/plug-in-engines/judge-answers.ts';
import { ownState } from '../../apps/worker/src/plug-in-engines/own-state.ts';
import { aModel, aSession } from '../support/memory-transcript.ts';

const model = { provider: 'anthropic', name: 'claude-sonnet-5', windowTokens: 200_000 };

test.each([
  ['', 150_000, 'small_context_floor'],
  ['compression: { small_context_floor: null }', 100_000, 'threshold'],
  ['compression: { model_thresholds: { sonnet: 0.8 } }', 160_000, 'model_thresholds'],
  ['compression: { threshold_tokens: 90000 }', 90_000, 'small_context_floor'],
  ['model: { max_tokens: 32000 }', 126_000, 'small_context_floor'],
])('with %j a plug-in is told of a trigger at %i tokens', (config, triggerTokens, source) => {
  expect(resolveModelThreshold(model, parseConfig(config, 'test'))).toMatchObject({ triggerTokens, source });
});

test('an engine that does not answer in time is done without, and that is told of once', async () => {
  const told: string[] = [];
  const attempts = new Attempts((member, problem) => void told.push(`${member}: ${problem}`));
  const ask = { member: 'assemble', ask: () => new Promise<string>(() => {}), isSound: () => true };

  const first = await attempts.later(1, { ...ask, instead: () => Promise.resolve('instead') });
  const second = await attempts.later(1, { ...ask, instead: () => Promise.resolve('again') });

  expect([first, second]).toEqual(['instead', 'again']);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^assemble: Error/);
});

test.each([
  ['its own', { engine: 'odd', json: { a: 1 } }, { engine: 'odd', json: { a: 1 } }, []],
  ['none', undefined, undefined, []],
  [
    'that of another engine',
    { engine: 'lcm', json: 1 },
    undefined,
    ['it wanted to change the state of another engine'],
  ],
  ['what is no JSON', { engine: 'odd', json: 1n }, undefined, ['its state is no JSON']],
  [
    'too much',
    { engine: 'odd', json: 'x'.repeat(1_000_001) },
    undefined,
    ['its state is longer than 1000000 characters'],
  ],
])('state that a plug-in changes: %s', (_what, change, stored, problems) => {
  const told: string[] = [];

  expect(ownState(change, 'odd', (_member, problem) => void told.push(problem))).toEqual(stored);
  expect(told).toEqual(problems);
});

const figures = {
  tokensBefore: 1,
  tokensBeforeSource: 'api',
  tokensAfter: 1,
  rowsBefore: 1,
  rowsAfter: 1,
  rowsArchived: 1,
  rowsProtected: 1,
  rowsDroppedWithoutSummary: 1,
  toolResultsPruned: 1,
  summaryTokens: 1,
  summaryCalls: 1,
  summaryInputTokens: 1,
  summaryOutputTokens: 1,
  escalation: 'normal',
};
const row = {
  role: 'user',
  kind: 'summary',
  parts: [{ type: 'text', text: 'x' }],
  tokens: 1,
  place: { kind: 'range', lastRowId: 2 },
};
const plan = {
  kind: 'plan',
  outcome: 'success',
  reason: 'none',
  archive: [1, 2],
  write: [row],
  summaryModel: null,
  figures,
};

test.each([
  ['a whole plan', plan, true],
  ['a word that there is none', { kind: 'none', outcome: 'noop', reason: 'none' }, true],
  ['a plan over a row that is not live', { ...plan, archive: [1, 9] }, false],
  [
    'a plan that puts a row where none is',
    { ...plan, write: [{ ...row, place: { kind: 'replaces', rowId: 9 } }] },
    false,
  ],
  ['a plan without figures', { ...plan, figures: {} }, false],
  ['a plan that writes no row', { ...plan, write: [{}] }, false],
  ['a text', 'plan', false],
])('%s: %s', (_what, made, isSound) => {
  const view = { rows: [{ id: 1 }, { id: 2 }] } as unknown as Parameters<typeof isMade>[1];

  expect(isMade(made, view)).toBe(isSound);
});

test('a plug-in that cannot be used is told of with its reason; an unknown name with those there are', () => {
  const engines = engineRegistry([compressorFactory(defaultConfig())], new Map([['odd', 'it is broken']]));

  expect(engines.find('odd')).toMatchObject({
    factory: { name: 'compressor' },
    warning: 'context engine "odd" cannot be used: it is broken; the compressor takes its place',
  });
  expect(engines.find('even').warning).toBe(
    'context engine "even" is not known (known: compressor); the compressor takes its place',
  );
});

test.each<[string, () => Promise<unknown>]>([
  ['fails', () => Promise.reject(new Error('away'))],
  [
    'throws',
    () => {
      throw new TypeError('odd');
    },
  ],
  ['never ends', () => new Promise(() => {})],
])(
  'a plug-in whose reading of its state %s is not begun anew: the compressor serves this claim',
  async (_how, load) => {
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
    const made: string[] = [];
    const odd: EngineFactory = {
      name: 'odd',
      load,
      create: () => {
        made.push('odd');
        throw new Error('never asked');
      },
    };
    const guarded = guardFactory(odd, { config: defaultConfig(), logger, loadMs: 1 });

    const state = await guarded.load?.(aSession());
    const engine = guarded.create({ session: aSession(), model: aModel(), state });

    expect(engine.name).toBe('compressor');
    expect(made).toEqual([]);
    expect(warned).toMatchObject([{ engine: 'odd', member: 'load' }]);
  },
);

test.each([
  ['odd', { stateChange: { engine: 'odd', json: { a: 1 } } }],
  ['dcp', {}],
])('a call and a refusal of a plug-in store its own state only: %s', async (engine, stored) => {
  const stateChange = { engine, json: { a: 1 } };
  const none = {
    kind: 'none',
    outcome: 'noop',
    reason: 'none',
    summaryModel: null,
    summaryCalls: 0,
  } as const;
  const result = { text: 'done', isError: false };
  const inside = compressorFactory(defaultConfig());
  const odd: EngineFactory = {
    name: 'odd',
    create: (input) =>
      Object.assign(Object.create(inside.create({ ...input, state: null }) as object), {
        name: 'odd',
        compress: () => Promise.resolve({ ...none, message: 'noted', stateChange }),
        handleToolCall: () => Promise.resolve({ result, stateChange }),
      }) as ReturnType<EngineFactory['create']>,
  };
  const factory = guardFactory(odd, { config: defaultConfig(), logger: silentLogger });
  const guarded = factory.create({ session: aSession(), model: aModel(), state: null });
  const ask = <Wish>(wish: unknown = {}) => wish as Wish;

  const made = await guarded.compress(ask(), ask(), ask());
  const end = await guarded.handleToolCall({ id: 'c', name: 'note', arguments: '{}' }, ask(), ask());

  expect(made).toEqual({ ...none, message: 'noted', ...stored });
  expect(end).toEqual({ result, ...stored });
});
