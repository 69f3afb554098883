/** `evals recall` as it is started, on a small transcript: every figure it prints, and what each option changes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runProgram } from '../../apps/evals/src/program.ts';
import { sharedPath } from '../support/shared.ts';
import { serviceAddresses } from '../support/test-services.ts';

// Each starts a program of its own, beside whatever else runs here.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL('../../apps/evals/src/main.ts', import.meta.url));
const recorded = sharedPath('transcripts/chat/locomo-conv-26.jsonl');
const pier = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(4);

/** About 200 tokens. */
const garden = Array.from({ length: 25 }, (_, index) => `Bed ${index} has carrots, mint and leeks.`).join(
  ' ',
);

/** What was worked on first, so that it is archived: two identifiers of each kind, in a person's words, a call and its result. */
const work = [
  {
    role: 'user',
    name: 'Ada',
    content: 'Look at src/queue/wake-up.ts, please; it broke with commit 3f2a9c1d.',
  },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [{ id: 'call_1', name: 'read_file', arguments: '{"path":"/srv/app-2/retry_times.sql"}' }],
  },
  {
    role: 'tool',
    tool_call_id: 'call_1',
    content:
      'TypeError: lease is not iterable\nsee https://docs.example.org/queues/leases?v=4 and https://example.net/a-b\n' +
      'took 48.215 seconds on port 54329, since 9be40cc712ab',
  },
  { role: 'assistant', content: 'It is RangeError: lag must be positive in the end.' },
];

const questions = [
  { question: 'Where did Ada leave the brass lamp?', answer: 'in the cellar', evidence: ['D1:1'] },
  { question: 'Which tree does Ben grow?', answer: 'a quince', evidence: ['D1:2'] },
];

const spoken = [
  { role: 'user', name: 'Ada', content: 'I left the brass lamp in the cellar.', ref: 'D1:1' },
  { role: 'assistant', content: `I grow a quince tree behind the house. ${garden}`, ref: 'D1:2' },
];

const chatter = Array.from({ length: 50 }, (_, index) => [
  { role: 'user', name: 'Ada', content: `Line ${index + 1}. ${pier}` },
  { role: 'assistant', content: `Noted. ${pier}` },
]).flat();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-recall-'));
  const startedAt = Date.parse('2026-03-01T10:00:00Z');
  const lines = [...work, ...spoken, ...chatter].map((line, seq) =>
    JSON.stringify({ seq, ts: new Date(startedAt + seq * 60_000).toISOString(), ...line }),
  );
  writeFileSync(join(folder, 'talk.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'asked.json'), JSON.stringify(questions));
  writeFileSync(join(folder, 'torn.jsonl'), `${lines[0]}\n{"role":"user",`);
  writeFileSync(join(folder, 'torn.json'), '[{"question":');
  writeFileSync(join(folder, 'object.json'), '{"question":"what?"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function recall(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: serviceAddresses().databaseUrl };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, 'recall', ...args],
      { cwd: folder, env },
      (_, output, errors) => resolve({ code: child.exitCode ?? -1, output, errors }),
    );
  });
}

async function figures(...args: string[]): Promise<Record<string, unknown>> {
  const { output, errors } = await recall('--transcript', 'talk.jsonl', '--json', ...args);
  return JSON.parse(output || `"${errors}"`) as Record<string, unknown>;
}

const found = (total: number) => ({ total, in_prompt: expect.any(Number), by_search: total });

/** What every result has, whatever was chosen. */
function expectFigures(result: Record<string, unknown>): void {
  expect(result).toMatchObject({
    transcript: 'talk.jsonl',
    window: 8_000,
    questions: 2,
    reachable_by_one_search: 1,
    identifiers: { path: found(2), sha: found(2), number: found(2), error: found(2), url: found(2) },
  });
  for (const share of ['evidence_in_prompt', 'reachable_by_lcm_grep'])
    expect([0, 0.5, 1], share).toContain(result[share]);
  expect(result['tokens_retained']).toBeLessThan(Number(result['tokens_before']) * 0.6);
  expect(result['compactions']).toBeGreaterThan(0);
  expect(result['search_p95_ms']).toBeGreaterThan(0);
}

test.each(['lean', 'legacy'])(
  'the figures of the %s tail have their names, and every identifier is found',
  async (tailMode) => {
    const result = await figures('--tail-mode', tailMode, '--window', '8000', '--qa', 'asked.json');

    expect(result).toMatchObject({ engine: 'compressor', tail_mode: tailMode });
    expectFigures(result);
  },
);

test.each(['lcm', 'dcp'])(
  'the engine %s is measured under both tails where none is named',
  async (engine) => {
    const results = await figures('--engine', engine, '--window', '8000', '--qa', 'asked.json');

    expect(results).toMatchObject([
      { engine, tail_mode: 'lean' },
      { engine, tail_mode: 'legacy' },
    ]);
    for (const result of Object.values(results)) expectFigures(result as Record<string, unknown>);
  },
);

test('a larger window keeps more, without questions there are none, and a small budget has no room for a long line', async () => {
  const lean = ['--tail-mode', 'lean', '--identifiers', '1'];
  const wide = await figures(...lean, '--window', '64000');
  const narrow = await figures(...lean, '--window', '8000', '--qa', 'asked.json', '--budget', '200');

  expect(wide['tokens_retained']).toBeGreaterThan(Number(narrow['tokens_retained']));
  expect([wide, narrow]).toMatchObject([
    { window: 64_000, questions: 0, reachable_by_one_search: 0, identifiers: { url: { total: 1 } } },
    { questions: 2, reachable_by_one_search: 0.5, identifiers: { url: { total: 1 } } },
  ]);
});

test.skipIf(recorded.missing)(
  'of a recorded conversation the lean tail keeps less than a third, and one search reaches what it should',
  async () => {
    const args = ['--transcript', recorded.path, '--window', '8000', '--identifiers', '1', '--json'];
    const { output, errors } = await recall(...args);

    const results = JSON.parse(output || `"${errors}"`) as Record<string, number>[];
    expect(results).toMatchObject([
      { tail_mode: 'lean', questions: 150 },
      { tail_mode: 'legacy', questions: 150 },
    ]);
    const [lean, legacy] = results;
    expect(lean!['reachable_by_one_search']).toBeGreaterThanOrEqual(0.88);
    expect(lean!['reachable_by_one_search']).toBeGreaterThanOrEqual(legacy!['reachable_by_one_search']!);
    expect(lean!['tokens_retained']! / lean!['tokens_before']!).toBeLessThanOrEqual(1 / 3);
  },
  240_000,
);

test('without --json the tails stand side by side in a table', async () => {
  const args = ['--transcript', 'talk.jsonl', '--qa', 'asked.json', '--window', '8000', '--identifiers', '1'];
  const { code, output } = await recall(...args);

  expect(code).toBe(0);
  expect(output).toMatch(
    /\| talk \| compressor \| lean \| 8000 \| 2 \| .*\n\| talk \| compressor \| legacy \| 8000 \| 2 \|/,
  );
  expect(output).toMatch(/\| talk \| compressor \| legacy \| 8000 \| url \| 1 \| \d \| \d \| 1 \|/);
});

describe('input that cannot be read is told in one sentence', () => {
  test.each([
    ['no transcript', [], 'recall needs --transcript FILE, once or several times'],
    ['a missing transcript', ['--transcript', 'away.jsonl'], 'away.jsonl: there is no such file'],
    ['a torn transcript', ['--transcript', 'torn.jsonl'], 'torn.jsonl:2: not a JSON object'],
    [
      'missing questions',
      ['--transcript', 'talk.jsonl', '--qa', 'away.json'],
      'away.json does not exist; name a file of questions',
    ],
    [
      'torn questions',
      ['--transcript', 'talk.jsonl', '--qa', 'torn.json'],
      'torn.json cannot be read as JSON',
    ],
    [
      'questions in no list',
      ['--transcript', 'talk.jsonl', '--qa', 'object.json'],
      'object.json holds no list',
    ],
    [
      'another engine',
      ['--transcript', 'talk.jsonl', '--engine', 'none'],
      '--engine is "none"; allowed: compressor',
    ],
    [
      'another tail',
      ['--transcript', 'talk.jsonl', '--tail-mode', 'fat'],
      '--tail-mode is "fat"; allowed: lean',
    ],
    [
      'a window of nothing',
      ['--transcript', 'talk.jsonl', '--window', '0'],
      '--window is "0"; a whole number',
    ],
    ['an option of no name', ['--transcript', 'talk.jsonl', '--qb', 'x'], "Unknown option '--qb'"],
  ] as const)('%s', async (_name, args, sentence) => {
    const printed: string[] = [];
    const context = {
      env: { DATABASE_URL: serviceAddresses().databaseUrl },
      folder,
      signal: new AbortController().signal,
      print: (text: string) => void printed.push(text),
      progress: () => {},
    };

    await expect(runProgram(['recall', ...args, '--json'], context)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining(sentence),
    });
    expect(printed).toEqual([]);
  });
});

test('such a sentence goes to standard error, without a stack, and the exit code is 1', async () => {
  const { code, output, errors } = await recall('--transcript', 'torn.jsonl', '--json');

  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toContain('torn.jsonl:2: not a JSON object');
  expect(errors).not.toContain('    at ');
});
