/** `evals recall --answers`: a configured model answers the questions about a compacted conversation and judges what it said. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFakeModel, type ModelScript, type ScriptRequest } from '@palimpsest/testkit';
import { expect, test, vi } from 'vitest';
import { serviceAddresses } from '../support/test-services.ts';

vi.setConfig({ testTimeout: 60_000 });

const program = fileURLToPath(new URL('../../apps/evals/src/main.ts', import.meta.url));

const questions = [
  { question: 'What did Ada buy at the flea market?', answer: 'a brass lamp', evidence: ['D1:1'] },
  { question: 'Where does Ben keep his boat?', answer: 'in Kotka', evidence: ['D1:2'] },
  { question: 'Who lent Ada the van?', answer: 'her uncle', evidence: ['D1:3'] },
];

const spoken = [
  { role: 'user', name: 'Ada', content: 'I bought a brass lamp at the flea market.', ref: 'D1:1' },
  {
    role: 'assistant',
    name: 'Ben',
    content: 'Lovely. I spent the day in Kotka, where my boat lies.',
    ref: 'D1:2',
  },
  { role: 'user', name: 'Ada', content: 'My uncle lent me his van for the lamp.', ref: 'D1:3' },
  { role: 'assistant', name: 'Ben', content: 'Good of him!', ref: 'D1:4' },
];

/** Looks for the lamp before it speaks; knows a wrong place for the boat; cannot decide about the van. */
const script: ModelScript = (request) => {
  if (request.system.startsWith('You compare')) return { text: verdictOn(lastText(request)) };
  if (lastText(request) === questions[0]!.question)
    return { toolCalls: [{ name: 'session_search', arguments: { query: 'flea market' } }] };
  if (request.messages.at(-1)!.toolResults.length > 0) return { text: 'A lamp of brass.' };
  return { text: lastText(request).includes('boat') ? 'In Turku.' : 'An uncle of hers.' };
};

function verdictOn(text: string): string {
  if (text.includes('A lamp of brass')) return 'Yes.';
  return text.includes('In Turku') ? 'no' : 'That depends.';
}

function lastText({ messages }: ScriptRequest): string {
  return messages.at(-1)!.text;
}

function recall(folder: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  const all = [
    program,
    'recall',
    '--transcript',
    'talk.jsonl',
    '--tail-mode',
    'lean',
    '--window',
    '8000',
    ...args,
  ];
  const options = {
    cwd: folder,
    env: { PATH: process.env['PATH'], DATABASE_URL: serviceAddresses().databaseUrl, ...env },
  };
  return new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    const child = execFile(process.execPath, all, options, (_failed, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output, errors }),
    );
  });
}

function talkFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-recall-'));
  const lines = spoken.map((line, seq) =>
    JSON.stringify({ seq, ts: `2026-03-0${seq + 1}T10:00:00Z`, ...line }),
  );
  writeFileSync(join(path, 'talk.jsonl'), lines.join('\n'));
  writeFileSync(join(path, 'talk.qa.json'), JSON.stringify(questions));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test('a configured model looks up, answers and judges; what it cannot decide counts neither way', async () => {
  using folder = talkFolder();
  await using model = await startFakeModel({ dialect: 'openai-chat', window: 32_000, script });
  writeFileSync(
    join(folder.path, 'config.yaml'),
    `model: {provider: custom, name: scripted, base_url: "${model.baseUrl}"}\n`,
  );
  const env = { PALIMPSEST_CONFIG: join(folder.path, 'config.yaml') };

  const { output, errors } = await recall(folder.path, env, '--answers', '3', '--json');

  expect(JSON.parse(output || errors)).toMatchObject({
    questions: 3,
    answers: { model: 'custom/scripted', asked: 3, right: 0.5, failed: 1, searched: 1 },
  });
  expect(model.violations).toEqual([]);
  const asked = model.requests.map(({ body }) => body).filter((body) => body.includes('flea market?'));
  expect(asked[0]).toContain('You are Ben in it');
  expect(asked[1]).toContain('I bought a brass lamp at the flea market.');

  const table = await recall(folder.path, env, '--answers', '1');
  expect(table.output).toContain('| 1 (0 failed) | 100.0 % by custom/scripted |');
});

test('without a model the answer says what to configure, and nothing is measured', async () => {
  using folder = talkFolder();

  const { code, output, errors } = await recall(folder.path, {}, '--answers', '3', '--json');

  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toContain(
    '--answers needs a model and none is configured; set a key such as ANTHROPIC_API_KEY',
  );
});
