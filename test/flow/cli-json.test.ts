/** Every command of the program with --json: what it prints, how it ends, and the row that says who did it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { exitCodeLines } from '../../apps/cli/src/exit-codes.ts';
import { buildProgram } from '../../apps/cli/src/program.ts';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { launch } from '../support/chaos/program.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/service-world.ts';
import { sharedPath } from '../support/shared.ts';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const services = ['up', 'gateway', 'worker', 'dashboard'];
const plugIn = fileURLToPath(
  new URL('../../infra/examples/plugins/context_engine/recent-turns', import.meta.url),
);
const recording =
  '{"seq":1,"ts":"2026-01-01T00:00:00Z","role":"user","content":"hi"}\n{"seq":2,"ts":"2026-01-01T00:00:01Z","role":"assistant","content":"hello"}\n';

interface Case {
  /** As `session show`. */
  command: string;
  /** What follows it; SESSION and FOLDER are put in. */
  words?: readonly string[];
  code?: 0 | 1;
  /** Of the object printed. */
  shape: object;
}

/** In this order: a compaction before its undo, a backup before its restore, the erasure last. */
const cases: readonly Case[] = [
  { command: 'migrate', shape: { applied: 0 } },
  { command: 'config check', shape: { file: null, fine: true } },
  { command: 'config show', shape: { context: { engine: 'compressor' } } },
  { command: 'config example', shape: { yaml: expect.stringContaining('context:') } },
  {
    command: 'config set',
    words: ['compression.tail_mode', 'legacy'],
    shape: { key: 'compression.tail_mode', value: 'legacy' },
  },
  {
    command: 'engine list',
    shape: { engines: expect.arrayContaining([expect.objectContaining({ name: 'lcm' })]) },
  },
  { command: 'engine install', words: [plugIn], shape: { engine: 'recent-turns', active: false } },
  { command: 'engine use', words: ['compressor'], shape: { engine: 'compressor' } },
  {
    command: 'access allow',
    words: ['telegram', '5'],
    shape: { platform: 'telegram', kind: 'user', id: '5', access: 'allow' },
  },
  {
    command: 'access deny',
    words: ['telegram', '-6', '--chat'],
    shape: { kind: 'chat', id: '-6', access: 'deny' },
  },
  {
    command: 'access list',
    shape: {
      entries: expect.arrayContaining([expect.objectContaining({ id: '5' })]),
      pending: [],
      denied: [],
    },
  },
  { command: 'access revoke', words: ['telegram', '5'], shape: { id: '5', revoked: true } },
  {
    command: 'access explain',
    words: ['telegram', '--user', '5'],
    shape: { platform: 'telegram', lines: expect.any(Array) },
  },
  { command: 'access approve', words: ['AAAA-BBBB'], code: 1, shape: { error: { code: 'input_invalid' } } },
  { command: 'session list', shape: { sessions: [{ id: expect.any(String) }] } },
  { command: 'session show', words: ['SESSION'], shape: { session: { liveRows: 32 } } },
  { command: 'session context', words: ['SESSION'], shape: { rows: expect.any(Array) } },
  {
    command: 'session explain',
    words: ['SESSION'],
    shape: {
      context: { decision: expect.any(Object), triggerTokens: expect.any(Number) },
      lastHour: { most: 30 },
    },
  },
  { command: 'session preview', words: ['SESSION'], shape: { sessionId: expect.any(String) } },
  { command: 'session compact', words: ['SESSION'], shape: { compaction: { figures: expect.any(Object) } } },
  { command: 'session undo-compaction', words: ['SESSION'], shape: { compaction: expect.any(Object) } },
  { command: 'session export', words: ['SESSION'], shape: { type: 'session' } },
  { command: 'ledger', shape: { compactions: expect.any(Array) } },
  { command: 'queue', shape: { backend: 'postgres', jobs: expect.any(Object) } },
  { command: 'dead list', shape: { replies: [], hooks: [] } },
  { command: 'dead retry', words: ['reply:1'], code: 1, shape: { error: { code: 'row_missing' } } },
  { command: 'dead drop', words: ['reply:1'], code: 1, shape: { error: { code: 'row_missing' } } },
  { command: 'import', words: ['talk.jsonl'], shape: { messages: 2, skipped: 0 } },
  { command: 'backup', words: ['all.gz'], shape: { rows: expect.any(Number) } },
  // The database is not empty.
  { command: 'restore', words: ['all.gz'], code: 1, shape: { error: { code: expect.any(String) } } },
  { command: 'doctor', shape: { findings: expect.any(Array) } },
  { command: 'replay', words: ['talk.jsonl', '--speed', 'max'], shape: { lost: 0, duplicated: 0 } },
  {
    command: 'person erase',
    words: ['local', 'nobody', '--yes'],
    code: 1,
    shape: { error: { code: 'row_missing' } },
  },
  {
    command: 'session erase',
    words: ['SESSION', '--yes'],
    shape: { sessions: 1, messages: expect.any(Number) },
  },
];

/** Commands that do something, as their paths. */
function leaves(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  const own = command.commands.filter((one) => one.name() !== 'help');
  if (own.length === 0) return [{ path: path.join(' '), command }];
  return own.flatMap((one) => leaves(one, [...path, one.name()]));
}

let world: TurnWorld;
let folder = '';
let sessionId = '';
let out = '';
let said = '';
const env = () => ({ DATABASE_URL: world.databaseUrl });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-json-'));
  writeFileSync(join(folder, 'talk.jsonl'), recording);
  world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 16);
  sessionId = await world.sessionId();
}, 240_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

async function run(words: readonly string[]): Promise<number> {
  out = '';
  said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text, ...rest: unknown[]) => {
    out += String(text);
    const written = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    written?.();
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  process.exitCode = undefined;
  const code = await runCommandLine({ env: env(), folder }, words);
  const ended = code ?? Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  vi.restoreAllMocks();
  return ended;
}

const filled = (words: readonly string[]): string[] =>
  words.map((word) => (word === 'SESSION' ? sessionId : word));

describe.skipIf(sharedPath('transcripts').missing)('every command', { timeout: 240_000 }, () => {
  test('has --json, and a row of this table or a test below', () => {
    const all = leaves(buildProgram({ env: {}, folder }));

    expect(all.filter(({ command }) => command.options.every(({ long }) => long !== '--json'))).toEqual([]);
    expect(all.map(({ path }) => path).toSorted()).toEqual(
      [...services, ...cases.map(({ command }) => command)].toSorted(),
    );
  });

  for (const { command, words = [], code = 0, shape } of cases)
    test(`${command} ${words.join(' ').replace(plugIn, 'PLUG-IN')} --json ends with ${code}`, async () => {
      const ended = await run([...command.split(' '), ...filled(words), '--json']);

      const lines = out.trimEnd().split('\n');
      if (command !== 'session export') expect(lines).toHaveLength(1);
      expect(lines.map((line) => JSON.parse(line) as object)[0]).toMatchObject(shape);
      expect([ended, said.length > 0]).toEqual([code, code === 1]);
    });

  test('what was done to conversations says who did it: the user of this machine', async () => {
    const acts = await world.store.boards.actions({ limit: 50 });

    const done = acts.map(({ act, actor, via }) => `${act} ${actor} ${via}`).toReversed();
    const me = `${userInfo().username} cli`;
    expect(done).toEqual([
      `preview ${me}`,
      `compact ${me}`,
      `undo_compaction ${me}`,
      `export ${me}`,
      `import ${me}`,
      `erase ${me}`,
      `erase ${me}`,
    ]);
  });

  test.each([
    [['session', 'show'], 2],
    [['nonsense'], 2],
    [['ledger', '--limit', 'many'], 2],
    [['session', 'show', 'no-such-session'], 1],
    [['--help'], 0],
  ])('%j ends with %i', async (words, code) => {
    expect(await run(words)).toBe(code);
  });

  test('--help and the README tell the exit codes', async () => {
    await run(['--help']);

    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    for (const line of exitCodeLines) {
      expect(out).toContain(line);
      expect(readme).toContain(line);
    }
  });

  test('long work shows how far it is on a terminal, and nothing elsewhere', async () => {
    await using target = await createTestDatabase({ migrated: false });
    const work = async (isTTY: boolean, name: string): Promise<string[]> => {
      const shown: string[] = [];
      const before = process.stderr.isTTY;
      process.stderr.isTTY = isTTY;
      try {
        for (const words of [
          ['import', 'talk.jsonl', '--chat', name],
          ['session', 'export', sessionId],
          ['backup', `${name}.gz`],
          ['replay', 'talk.jsonl', '--speed', 'max'],
        ]) {
          await run(words);
          shown.push(said);
        }
        if (isTTY) {
          await runRestore(target.url, `${name}.gz`);
          shown.push(said);
        }
      } finally {
        process.stderr.isTTY = before;
      }
      return shown;
    };

    const elsewhere = await work(false, 'plain');
    const shown = await work(true, 'terminal');

    expect(elsewhere).toEqual(['', '', '', '']);
    expect(shown[0]).toContain('2 messages ████████████████████ 100 %');
    expect(shown[1]).toContain('lines written');
    expect(shown[2]).toContain('rows read');
    expect(shown[3]).toContain('1 messages said ████████████████████ 100 %');
    expect(shown[4]).toMatch(/[1-9]\d* rows written ████████████████████ 100 %/);
  });

  async function runRestore(databaseUrl: string, file: string): Promise<void> {
    said = '';
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said += String(text))));
    expect(await runCommandLine({ env: { DATABASE_URL: databaseUrl }, folder }, ['restore', file])).toBe(
      null,
    );
    vi.restoreAllMocks();
  }

  test.each(services)(
    '%s --json prints its first screen as one object, and ends with 0 when told to',
    async (service) => {
      const program = launch({
        command: ['apps/cli/src/main.ts', service, '--json'],
        env: { ...env(), PORT: '0' },
        folder,
      });
      try {
        await until(() => expect(program.output()).toContain('\n'), 200_000);
        const screen = JSON.parse(program.output()) as object;
        const ended = await program.stop('SIGTERM');

        expect(screen).toMatchObject({
          running: service === 'up' ? ['gateway', 'worker', 'dashboard'] : [service],
          pages: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
          model: { windowTokens: 128_000 },
          queue: 'postgres',
        });
        expect(ended).toEqual({ code: 0, signal: null });
      } finally {
        await program.kill();
      }
    },
  );
});
