/** What the matrix of replays takes for a broken promise. */
import type { ReplayReport } from '@palimpsest/cli';
import { expect, test } from 'vitest';
import { judge } from '../../apps/evals/src/replay-all/judge.ts';
import { matrix, type Cell } from '../../apps/evals/src/replay-all/matrix.ts';

const chat: Cell = {
  kind: 'chat',
  file: 'chat/locomo-conv-26.jsonl',
  platform: 'telegram',
  window: 8_000,
  queue: 'redis',
  engine: 'compressor',
  nudges: 'follow',
};

const success = {
  layer: 'agent',
  trigger: 'prepared',
  outcome: 'success',
  tokens_before: 5_000,
  tokens_after: 2_000,
};
const failed = { ...success, outcome: 'failed' };

function report(changes: Partial<ReplayReport> = {}): ReplayReport {
  return {
    file: 'locomo-conv-26.jsonl',
    platform: 'telegram',
    queue: 'redis',
    sent: 211,
    answered: 211,
    lost: 0,
    duplicated: 0,
    out_of_order: 0,
    compactions: [success, success, success],
    rows: { live: 60, archived: 360, withdrawn: 0 },
    missing_rows: 0,
    session_ids: ['20261129_200000_0a0a0a0a'],
    window: 8_000,
    largest_prompt_tokens: 5_900,
    prompts_refused: 0,
    events: 3,
    violations: [],
    wall_ms: 20_000,
    ...changes,
  };
}

test('the matrix is five chats on two platforms and two recordings of agents, at two windows, on both backends', () => {
  const cells = matrix('compressor');

  expect(cells.filter((cell) => cell.kind === 'chat')).toHaveLength(40);
  expect(cells.filter((cell) => cell.kind === 'agent')).toHaveLength(8);
  expect(cells.filter((cell) => cell.queue === 'redis')).toHaveLength(24);
});

test('the model-guided engine is played with models that follow its nudges and, for agents, with models that ignore them', () => {
  const cells = matrix('dcp');

  expect(cells).toHaveLength(56);
  expect(cells.filter((cell) => cell.nudges === 'ignore')).toHaveLength(8);
  expect(cells.every((cell) => cell.engine === 'dcp')).toBe(true);
});

test('a report without a flaw keeps every promise', () => {
  expect(judge(chat, report())).toEqual([]);
});

test('every count that must be zero is named with what was found', () => {
  const flaws = { lost: 1, duplicated: 2, out_of_order: 3, missing_rows: 4, prompts_refused: 5 };

  expect(judge(chat, report(flaws))).toEqual([
    '1 lost',
    '2 duplicated',
    '3 out of order',
    '4 missing rows',
    '5 prompts refused',
  ]);
});

test('two sessions, an overfull prompt and a violation are broken promises', () => {
  const flaws = { session_ids: ['a', 'b'], largest_prompt_tokens: 8_001, violations: ['no such method'] };

  expect(judge(chat, report(flaws))).toEqual([
    '2 session ids instead of 1',
    'a prompt of 8001 tokens in a window of 8000',
    'violation: no such method',
  ]);
});

test('a small window wants two compactions, a large one only where the recording fills it', () => {
  const one = report({ compactions: [success], events: 1 });
  const none = report({ compactions: [], events: 0 });
  const agent: Cell = { ...chat, kind: 'agent', platform: 'local', window: 128_000 };

  expect(judge(chat, one)).toEqual(['1 compactions, at least 2 wanted']);
  expect(judge({ ...chat, window: 16_000 }, one)).toEqual([]);
  expect(judge({ ...agent, file: 'agent/swe-play-trajectories.jsonl' }, none)).toEqual([
    '0 compactions, at least 1 wanted',
  ]);
  expect(judge({ ...agent, file: 'agent/swe-gym_openhands_sampled_trajectories.jsonl' }, none)).toEqual([]);
});

test('most attempts must end in success', () => {
  const flaws = { compactions: [success, success, failed, failed], events: 2 };

  expect(judge(chat, report(flaws))).toEqual(['2 of 4 compactions ended success, most should']);
});

test('a compaction without its event is a broken promise; one judged ineffective afterwards has one too', () => {
  const ineffective = { ...success, outcome: 'ineffective' };

  expect(judge(chat, report({ events: 2 }))).toEqual(['2 session:compress events for 3 compactions']);
  expect(judge(chat, report({ compactions: [success, success, success, ineffective], events: 4 }))).toEqual(
    [],
  );
});
