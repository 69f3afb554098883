/** The benches, started as `npm run bench` starts them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { sharedPath } from '../support/shared.ts';
import { serviceAddresses } from '../support/test-services.ts';

// Each starts a program of its own, beside whatever else runs here.
vi.setConfig({ testTimeout: 120_000 });

const chats = sharedPath('transcripts/chat');
const root = fileURLToPath(new URL('../../', import.meta.url));
const program = fileURLToPath(new URL('../../apps/evals/src/main.ts', import.meta.url));

async function evals(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const { databaseUrl, redisUrl } = serviceAddresses();
  const env = { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: 'pipe' });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output, errors };
}

const aMachine = {
  cores: expect.any(Number),
  memory_gb: expect.any(Number),
  node: 'v26.10.0',
  cpu: expect.any(String),
  postgres: expect.stringMatching(/^\d+/),
};

test('the token estimate is close to the exact tokenizer on every kind of text, fast and linear', async () => {
  const { code, output } = await evals('bench', 'estimate', '--json');

  const result = JSON.parse(output) as { figures: Record<string, number> };
  expect(result).toMatchObject({ bench: 'estimate', machine: aMachine });
  const { figures } = result;
  expect(figures['kinds']).toBeGreaterThanOrEqual(8);
  expect(figures['mean_error_percent']).toBeLessThanOrEqual(5.5);
  expect(figures['worst_error_percent']).toBeLessThanOrEqual(12);
  expect(figures['mb_per_s']).toBeGreaterThan(0);
  expect(figures['one_letter_times']).toBeLessThan(30);
  for (const kind of ['prose', 'code', 'json', 'logs', 'japanese', 'chinese', 'russian', 'emoji'])
    expect(Object.keys(figures)).toEqual(
      expect.arrayContaining([`${kind}_error_percent`, `${kind}_mb_per_s`]),
    );
  expect(code).toBe(0);
});

test('the pipeline bench takes every message through both queue backends and compares with plain BullMQ', async () => {
  const { code, output, errors } = await evals(
    'bench',
    'pipeline',
    '--json',
    '--sessions',
    '5',
    '--messages',
    '2',
  );

  expect(errors).not.toContain('no reply');
  const result = JSON.parse(output) as { figures: Record<string, number> };
  expect(result).toMatchObject({ bench: 'pipeline', machine: aMachine });
  expect(result.figures).toMatchObject({ sessions: 5, messages: 10 });
  for (const backend of ['redis', 'postgres']) {
    const names = [
      `${backend}_messages_per_s`,
      `${backend}_claim_p50_ms`,
      `${backend}_claim_p99_ms`,
      `${backend}_reply_p50_ms`,
      `${backend}_reply_p99_ms`,
      `raw_${backend}_jobs_per_s`,
      `raw_${backend}_add_to_process_p50_ms`,
      `raw_${backend}_add_to_process_p99_ms`,
    ];
    for (const name of names) expect(result.figures[name], name).toBeGreaterThanOrEqual(0);
  }
  expect(code).toBe(0);
});

test('the load bench goes up to the knee, reads costs and memory, and compares a small with a large database', async () => {
  const sizes = ['--seconds', '1', '--minutes', '0.05', '--sessions', '5', '--rows', '2000'];
  const { code, output, errors } = await evals('bench', 'load', '--json', '--queue', 'redis', ...sizes);

  const { figures } = JSON.parse(output) as { figures: Record<string, number | string> };
  for (const name of ['redis_at_25', 'large_1_sessions', 'large_20_sessions']) {
    const times = ['claim_p50_ms', 'claim_p99_ms', 'reply_p50_ms', 'reply_p99_ms'];
    for (const figure of ['messages_per_s', ...times, 'service_cpu_ms_per_message'])
      expect(figures[`${name}_${figure}`], `${name}_${figure} ${errors}`).toBeGreaterThan(0);
    // Of servers on another machine the words say so.
    for (const server of ['postgres', 'redis'])
      expect(Object.keys(figures)).toContain(`${name}_${server}_cpu_ms_per_message`);
    // A message is taken in, claimed, answered and stored.
    expect(figures[`${name}_sql_statements_per_message`]).toBeGreaterThan(10);
    expect(figures[`${name}_sql_transactions_per_message`]).toBeGreaterThan(2);
    expect(figures[`${name}_redis_commands_per_message`]).toBeGreaterThan(2);
  }
  expect(figures).toMatchObject({ redis_knee_messages_per_s: expect.any(Number), large_rows: 2_000 });
  expect(figures['memory_at_end_mb']).toBeGreaterThan(20);
  expect(figures).toMatchObject({
    memory_minutes: expect.any(Number),
    memory_messages_per_s: expect.any(Number),
    memory_slope_mb_per_minute: expect.anything(),
  });
  expect(code).toBe(0);
}, 180_000);

test('scale tells for 1, 10 and 100 workers what is full first, and holds the model against this machine', async () => {
  const { code, output, errors } = await evals('scale', '--json', '--seconds', '1', '--postgres-cores', '4');

  const result = JSON.parse(output || `"${errors}"`) as Record<string, unknown>;
  const times = { gateway: expect.any(Number), worker: expect.any(Number) };
  expect(result).toMatchObject({
    machine: aMachine,
    cpu_ms_per_message: { ...times, postgres: expect.any(Number), redis: expect.any(Number) },
    this_machine: {
      predicted_messages_per_s: expect.any(Number),
      measured_messages_per_s: expect.any(Number),
    },
    postgres_cores: 4,
    model_seconds: 5,
    // Thirty turns at once of five seconds each are six a second.
    workers: [
      { workers: 1, messages_per_s: 6, saturates_first: 'model_slots' },
      { workers: 10 },
      { workers: 100 },
    ],
  });
  for (const row of result['workers'] as Record<string, number>[]) {
    // The last of a flood are worked off beside empty places.
    const flooded = row['simulated_messages_per_s_when_flooded']! / row['messages_per_s']!;
    expect([flooded > 0.7, flooded < 1.02]).toEqual([true, true]);
    const { mean_ms_at_80_percent: formula, simulated_mean_ms_at_80_percent: simulated } = row;
    expect(Math.abs(simulated! / formula! - 1)).toBeLessThan(0.1);
  }
  expect(code).toBe(0);
});

test.skipIf(chats.missing)(
  'the search bench asks the recorded questions beside rows of the same words',
  async () => {
    const { code, output, errors } = await evals(
      'bench',
      'search',
      '--json',
      '--rows',
      '2000',
      '--searches',
      '20',
    );

    const { figures } = JSON.parse(output) as { figures: Record<string, number> };
    expect(figures, errors).toMatchObject({ rows_of_others: 2_000, searches: 20 });
    expect(figures['own_rows_most']).toBeGreaterThan(400);
    expect(figures['long_archive_rows']).toBeGreaterThan(2_000);
    expect(figures['long_archive_p95_ms']).toBeGreaterThan(0);
    expect(figures['session_search_p50_ms']).toBeGreaterThan(0);
    expect(figures['session_search_p95_ms']).toBeGreaterThanOrEqual(figures['session_search_p50_ms']!);
    expect(code).toBe(0);
  },
);

test('the dashboard bench reads large lists, has 50 pages open, and compares the pipeline with and without them', async () => {
  const sizes = ['--rows', '200', '--seconds', '1', '--sessions', '5', '--messages', '2'];
  const { code, output, errors } = await evals('bench', 'dashboard', '--json', ...sizes);

  const { figures } = JSON.parse(output) as { figures: Record<string, number> };
  expect(figures, errors).toMatchObject({
    live_pages: 50,
    dashboard_cpu_percent_of_a_core: expect.any(Number),
    watched_flood_dashboard_cpu_percent_of_a_core: expect.any(Number),
    watched_paced_dashboard_cpu_percent_of_a_core: expect.any(Number),
  });
  for (const name of [
    'sessions_10k_by_cost_p95_ms',
    'session_20k_text_first_page_p95_ms',
    'tellings_per_second',
    'unwatched_messages_per_s',
    'watched_messages_per_s',
    'unwatched_paced_messages_per_s',
    'watched_claim_p99_ms',
  ])
    expect(figures[name], name).toBeGreaterThan(0);
  expect(code).toBe(0);
});

test('the people bench measures from a message to the first visible reply at three rates', async () => {
  const args = ['bench', 'people', '--json', '--queue', 'postgres', '--sessions', '5', '--messages', '1'];
  const { code, output, errors } = await evals(...args);

  const { figures } = JSON.parse(output) as { figures: Record<string, number> };
  expect(figures, errors).toMatchObject({ postgres_at_1_messages: 5, postgres_at_200_messages: 5 });
  for (const rate of [1, 50, 200])
    for (const share of ['p50', 'p99'])
      expect(figures[`postgres_first_reply_at_${rate}_per_s_${share}_ms`]).toBeGreaterThan(0);
  expect(code).toBe(0);
});

test('in the wait bench nobody waits for a summary while the conversation is under the hard limit', async () => {
  const { code, output, errors } = await evals('bench', 'wait', '--json');

  const result = JSON.parse(output) as { figures: Record<string, number> };
  expect(result, errors).toMatchObject({ bench: 'wait', machine: aMachine });
  expect(result.figures).toMatchObject({ turns: 200, turns_waited: 0, summary_wait_max_ms: 0 });
  expect(result.figures['compactions_prepared']).toBeGreaterThanOrEqual(1);
  expect(result.figures['largest_prompt_tokens']).toBeLessThan(28_800);
  expect(code).toBe(0);
}, 120_000);

test('without --json a bench prints a table', async () => {
  const { output } = await evals('bench', 'estimate');

  expect(output).toMatch(/^estimate: cores \d+ · memory_gb \d+ · node v26\.10\.0/);
  expect(output).toMatch(/\n {2}prose_mb_per_s +\d/);
});

test('an unknown bench is refused with the names there are', async () => {
  const { code, errors } = await evals('bench', 'everything');

  expect(errors).toContain(
    'no bench is named "everything"; there are pipeline, compaction, store, lcm, wait, cache, dashboard, people, search, load, estimate',
  );
  expect(code).toBe(1);
});
