/** The context bar under each engine, from real turns with tool results: what the API tells and what a browser shows. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ModelScript } from '@palimpsest/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/chromium.ts';
import { ask } from '../support/dashboard.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { engineText, plugInFolder } from '../support/plug-ins.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const shots = fileURLToPath(new URL('../../test-output/context-bar/', import.meta.url));
const longText = 'The ferry to the island leaves at nine from the old pier. '.repeat(20);
let browser: Browser;

beforeAll(async () => {
  mkdirSync(shots, { recursive: true });
  browser = await openBrowser();
}, 180_000);

afterAll(() => browser?.close());

/** The second question is answered only after a look at the conversation, whose result comes back as a row. */
function lookingOnce(): ModelScript {
  return (request) => {
    const last = request.messages.at(-1)!;
    if (last.text.includes('question 2') && last.toolResults.length === 0)
      return { toolCalls: [{ name: 'session_search', arguments: { query: 'ferry' } }] };
    return { text: `Noted. ${longText}` };
  };
}

async function talkInto(world: TurnWorld, turns = 10): Promise<void> {
  for (let turn = 1; turn <= turns; turn++) {
    await world.say(`question ${turn}: ${longText}`);
    await world.hear(turn);
  }
}

interface Context {
  headTokens: number;
  middleTokens: number;
  resultTokens: number;
  tailTokens: number;
  isDivided: boolean;
}

/** Look at the bar: what the API told of it, and the words that stand on the page. */
async function barOf(world: TurnWorld, name: string): Promise<{ context: Context; words: string }> {
  await using pages = await startWorldPages(world);
  const id = await world.sessionId();
  const answer = await ask(`${pages.url}/api/sessions/${id}/context`);
  let words = '';
  await lookAtPage({
    browser,
    url: `${pages.url}/sessions/${id}`,
    picture: `${shots}${name}`,
    at: async (page) => {
      await page.getByRole('img', { name: 'Context:' }).waitFor();
      words = await page.locator('.context-bar').innerText();
    },
  });
  return { context: answer.json()['context'] as Context, words };
}

/** Of the rows of tool results in the prompt. */
async function resultTokens(world: TurnWorld): Promise<number> {
  const rows = await world.rows();
  return rows.reduce((sum, row) => (row.role === 'tool' ? sum + row.tokens : sum), 0);
}

test('the built-in engine: results of tools in the middle are a part of their own', async () => {
  await using world = await openTurnWorld({ script: lookingOnce(), window: 32_000 });
  await talkInto(world, 15);

  const { context, words } = await barOf(world, 'compressor');

  expect(context.resultTokens).toBe(await resultTokens(world));
  expect(context.resultTokens).toBeGreaterThan(0);
  expect(context).toMatchObject({ isDivided: true });
  expect(words).toMatch(/Head, kept\s+\d/);
  expect(words).toMatch(/Middle, condensed next\s+\d/);
  expect(words).toMatch(/Middle, tool results\s+\d/);
  expect(words).not.toContain('no borders are drawn');
}, 90_000);

test('where the model condenses itself: no head, the newest messages as the tail', async () => {
  await using world = await openTurnWorld({
    script: lookingOnce(),
    window: 64_000,
    config: 'context: { engine: dcp, dcp: { compress: { permission: ask } } }',
  });
  await talkInto(world);

  const { context, words } = await barOf(world, 'dcp');

  const rows = await world.rows();
  expect(context).toMatchObject({ isDivided: true, headTokens: 0, resultTokens: await resultTokens(world) });
  // At least the newest question, and not the oldest one.
  expect(context.tailTokens).toBeGreaterThanOrEqual(rows.findLast((row) => row.role === 'user')!.tokens);
  expect(context.middleTokens).toBeGreaterThan(rows[0]!.tokens);
  expect(words).toContain('The model is not reminded to condense: a person has to ask');
}, 90_000);

test('an engine that does not tell what it would leave: no borders, and the page says so', async () => {
  using folder = plugInFolder({ odd: engineText('odd') });
  await using world = await openTurnWorld({
    script: lookingOnce(),
    window: 64_000,
    config: 'context: { engine: odd }',
    plugInFolder: folder.path,
  });
  await talkInto(world);

  const { context, words } = await barOf(world, 'plug-in');

  expect(context).toMatchObject({
    isDivided: false,
    headTokens: 0,
    tailTokens: 0,
    resultTokens: await resultTokens(world),
  });
  expect(words).toContain('The engine “odd” does not tell which messages a compaction would leave');
  expect(words).toMatch(/Messages\s+\d/);
  expect(words).not.toMatch(/Head|Middle|Tail/);
}, 90_000);
