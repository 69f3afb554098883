/**
 * The real Codex program against the fake Responses server, and the same through the fake program: what the two say
 * must be the same. Needs the package index and 424 MB, so it runs only when asked for:
 *   PALIMPSEST_CODEX=1 vitest run test/integration/codex-real.test.ts
 * or with the path of a program that is there already.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defaultConfig, systemClock } from '@palimpsest/core';
import type { ModelClient, PromptMessage } from '@palimpsest/core';
import { createModelClient } from '@palimpsest/providers';
import { startFakeModel, writeFakeCodex } from '@palimpsest/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { asMessage, events, outline, request, user } from '../support/model-world.ts';
import { startRaw, walk } from '../support/raw-app-server.ts';

const version = '0.171.0';
const asked = process.env['PALIMPSEST_CODEX'];
let folder = '';
let real = '';

/** What a program needs to know; its model server is the fake one. */
function homeFor(baseUrl: string, name: string): string {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const lines = [
    'model_provider = "fake"',
    '[model_providers.fake]',
    'name = "fake"',
    `base_url = "${baseUrl}"`,
    'wire_api = "responses"',
    'supports_websockets = false',
    'experimental_bearer_token = "key"',
    '[mcp_servers.homemade]',
    'command = "/usr/bin/touch"',
    `args = ["${join(home, 'started')}"]`,
  ];
  writeFileSync(join(home, 'config.toml'), lines.join('\n'));
  return home;
}

function environmentOf(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, CODEX_HOME: home };
}

describe.skipIf(!asked)('the real Codex program (skipped unless PALIMPSEST_CODEX is set)', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-real-codex-'));
    if (asked !== '1') return void (real = asked ?? '');
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', `@openai/codex@${version}`], { cwd: folder });
    real = join(folder, 'node_modules', '.bin', 'codex');
  }, 300_000);

  test('says what the fake program says, word for word', async () => {
    await using model = await startFakeModel({
      dialect: 'openai-responses',
      window: 400_000,
      script: () => ({ text: 'a short answer' }),
    });
    const home = homeFor(model.baseUrl, 'raw');
    const fake = writeFakeCodex(join(folder, 'fake-raw'));
    await using realServer = startRaw(real, environmentOf(home), home);
    await using fakeServer = startRaw(fake.command, {}, folder);

    const [fromReal, fromFake] = [await walk(realServer), await walk(fakeServer)];

    expect(fromFake).toEqual(fromReal);
    // Left alone it starts the operator's own tool servers; through our client it must not (below).
    expect(existsSync(join(home, 'started'))).toBe(true);
    expect(model.violations).toEqual([]);
  }, 120_000);

  test('answers our client as the fake program does', async () => {
    await using model = await startFakeModel({
      dialect: 'openai-responses',
      window: 400_000,
      script: () => ({ text: 'a short answer' }),
    });
    const home = homeFor(model.baseUrl, 'client');
    const fake = writeFakeCodex(join(folder, 'fake-client'));

    const seen = await Promise.all([
      converse(clientOf(real, home), clientOf(real, home)),
      converse(
        clientOf(fake.command, join(folder, 'fake-client')),
        clientOf(fake.command, join(folder, 'fake-client')),
      ),
    ]);

    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toEqual([
      ['text', 'sidecar', 'done'],
      ['text', 'sidecar', 'done'],
      'compacted',
      ['text', 'sidecar', 'done'],
      ['text', 'sidecar', 'done'],
    ]);
    expect(model.violations).toEqual([]);
    // What the other process did in the thread is known to the first one.
    const { texts, tools } = readBody(model.requests.at(-1)?.body ?? '{}');
    expect(texts[0]).toBe('You are kind.');
    expect(texts.slice(-3)).toEqual(['three', 'a short answer', 'four']);
    // All that is left to the model; the sandbox and the policy refuse what it would do with it.
    expect(tools).toEqual(['apply_patch']);
    expect(existsSync(join(home, 'started'))).toBe(false);
  }, 120_000);
});

function readBody(body: string): { texts: string[]; tools: string[] } {
  const { input = [], tools = [] } = JSON.parse(body) as {
    input?: { content?: { text?: string }[] }[];
    tools?: { name?: string; type: string }[];
  };
  const texts = input.flatMap(({ content = [] }) => content.map(({ text = '' }) => text));
  return { texts, tools: tools.map(({ name, type }) => name ?? type) };
}

function clientOf(command: string, codexHome: string): ModelClient {
  const config = defaultConfig();
  return createModelClient({
    config: {
      ...config,
      model: {
        ...config.model,
        provider: 'openai-codex',
        name: 'gpt-5.5',
        api_mode: 'codex_app_server',
        codex_command: command,
      },
    },
    keys: { codexHome, codexEnvironment: environmentOf(codexHome) },
    clock: systemClock,
    random: Math.random,
    idleMs: 30_000,
  });
}

/** Two turns and a compaction in one process, a turn in another, and one more in the first. */
async function converse(first: ModelClient, second: ModelClient): Promise<unknown[]> {
  const messages: PromptMessage[] = [];
  const ask = async (client: ModelClient, text: string): Promise<string[]> => {
    messages.push(user(text));
    const seen = await events(client, request(messages, { tools: [] }));
    messages.push(asMessage(seen));
    return outline(seen);
  };
  const seen: unknown[] = [await ask(first, 'one'), await ask(first, 'two')];
  const compacted = await first.compactThread?.({ sessionId: 's1', messages }, new AbortController().signal);
  seen.push(compacted?.kind, await ask(second, 'three'), await ask(first, 'four'));
  await Promise.all([first.close?.(), second.close?.()]);
  return seen;
}
