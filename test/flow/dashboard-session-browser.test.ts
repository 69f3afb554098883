/** The page of one session in a browser, under each engine, filled by real turns. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { followNudges } from '@palimpsest/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, openPage } from '../support/chromium.ts';
import { words } from '../support/memory-transcript.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const shots = fileURLToPath(new URL('../../test-output/session-page/', import.meta.url));
let browser: Browser;

beforeAll(async () => {
  mkdirSync(shots, { recursive: true });
  browser = await openBrowser();
}, 180_000);

afterAll(() => browser?.close());

/** Open the session's page, look at it, keep a picture; it fits a phone and the browser complains of nothing. */
async function look(world: TurnWorld, name: string, at: (page: Page) => Promise<void>): Promise<void> {
  await using pages = await startWorldPages(world);
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/sessions/${await world.sessionId()}`);
  await at(page);
  await page.screenshot({ path: `${shots}${name}.png`, fullPage: true });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(opened.complaints).toEqual([]);
}

test('the built-in engine: the bar by part, an attempt with its numbers, and the lines under the summary', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 16_000,
    config: 'compression: {background: false}',
  });
  await talk(world, 10);
  await ask(world, '/compress');

  await look(world, 'compressor', async (page) => {
    await page.getByText('tokens to go until it is compacted').waitFor();
    const bar = await page.getByRole('img', { name: 'Context:' }).getAttribute('aria-label');
    expect(bar).toContain('Trigger 12,000, hard limit 14,400.');
    const attempt = page.getByLabel('Compactions').getByRole('listitem').first();
    expect(await attempt.innerText()).toMatch(/#1\s+success\s+manual/);
    const archived = page.locator('.row.archived');
    expect(await archived.count()).toBe(0);
    const under = page.getByText(/^\d+ older rows underneath$/);
    // By keyboard, as everything here can be opened.
    await under.focus();
    await page.keyboard.press('Enter');
    await archived.first().waitFor();
    expect(await archived.first().innerText()).toContain('Line 2. The ferry');
    // What happens meanwhile is seen without a reload.
    await ask(world, '/compress');
    await page.getByText('#2', { exact: true }).waitFor();
    await under.waitFor();
  });
}, 60_000);

test('the lossless engine: the graph opens from its nodes down to the messages, and the doctor finds it sound', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 16_000,
    config: 'context: {engine: lcm, lcm: {leaf_chunk_tokens: 1500, fresh_tail_count: 6}}',
  });
  await talk(world, 20);
  await ask(world, '/compress');

  await look(world, 'lcm', async (page) => {
    const graph = page.getByRole('region', { name: 'Graph of summaries' });
    await graph
      .getByText(/every message is reached once|weak/)
      .first()
      .waitFor();
    expect(await graph.getByText('broken').count()).toBe(0);
    await graph.getByText(/^Depth 0: \d+ nodes/).click();
    await graph.locator('.depth summary', { hasText: 'Leaf' }).last().click();
    await graph.getByText('written by custom/summariser').first().waitFor();
    await graph.getByText('Line 1. The ferry').first().waitFor();
    const text = page.getByRole('region', { name: 'The text' });
    await text
      .getByText(/^\d+ messages underneath$/)
      .first()
      .waitFor();
  });
}, 60_000);

test('the model-guided engine: blocks with what they save, their rows, and the reminders', async () => {
  await using world = await openTurnWorld({
    script: followNudges(() => ({ text: `answer ${words(500)}` })),
    window: 16_000,
    config: 'context: { engine: dcp }',
  });
  for (let turn = 1; turn <= 14; turn++) {
    await world.say(`question ${turn}: ${words(200)}`);
    await world.hear(turn);
  }

  await look(world, 'dcp', async (page) => {
    const blocks = page.getByRole('region', { name: 'Blocks' });
    await blocks.getByText('tokens saved, net of summaries').waitFor();
    await blocks.getByText('shown to the model').first().waitFor();
    await blocks
      .getByText(/^\d+ rows underneath$/)
      .first()
      .click();
    await blocks.locator('.row', { hasText: 'question 1: river' }).waitFor();
    await blocks.getByRole('button', { name: 'Reminders' }).click();
    await blocks.getByText('condensed', { exact: true }).waitFor({ state: 'detached' });
    await blocks.getByText('reminded', { exact: true }).first().waitFor();
  });
}, 60_000);
