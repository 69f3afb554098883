/** One attempt of a session's timeline, opened in a browser: what was checked, kept and changed. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ModelScript } from '@palimpsest/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, openPage } from '../support/chromium.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const shots = fileURLToPath(new URL('../../test-output/attempt/', import.meta.url));
let browser: Browser;
let world: TurnWorld;

/** Each differs from the one before in one line. */
const summaryOf = (number: number): string =>
  `## Goal\nTake the ferry to the island\n\n## Done\n- asked for the times\n- found pier ${number}`;

beforeAll(async () => {
  mkdirSync(shots, { recursive: true });
  browser = await openBrowser();
  const turns = answering();
  let summaries = 0;
  const script: ModelScript = (request) => {
    if (request.tools.length > 0) return turns(request);
    summaries += 1;
    return { text: summaryOf(summaries) };
  };
  world = await openTurnWorld({
    script,
    window: 16_000,
    summaryOnMain: true,
    config: 'compression: {background: false}',
  });
  await talk(world, 10);
  await ask(world, '/compress');
  await talk(world, 8);
  await ask(world, '/compress');
  await talk(world, 1);
}, 240_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await browser?.close();
});

const counts = /\d+ lines? added, \d+ removed, \d+ kept/;

const newest = (page: Page) => page.getByLabel('Compactions').locator('.attempt').first();

async function openNewest(page: Page): Promise<void> {
  await newest(page).getByText('Changes to the summary before it').click();
  await newest(page).getByText('What was checked, and what was kept').click();
  await newest(page)
    .getByText(/^At the tail/)
    .waitFor();
}

test('an attempt tells what its summary changed, what the checks said and which rows were kept, in both themes and widths', async () => {
  await using pages = await startWorldPages(world);
  await lookAtPage({
    browser,
    url: `${pages.url}/sessions/${await world.sessionId()}`,
    picture: `${shots}attempt`,
    at: async (page) => {
      await openNewest(page);
      const said = await newest(page).innerText();
      expect(said).toMatch(counts);
      expect(said).toMatch(/removed:\s+- found pier \d\n/);
      expect(said).toMatch(/added:\s+- found pier \d\n/);
      expect(said).toContain('Taken as it was first written');
      expect(said).toContain('No row left the prompt without a line about it');
      expect(said).toContain('The model counted a smaller prompt with its next call');
      expect(said).toMatch(/At the tail, word for word\s+\d+ rows, seq [\d,]+ to [\d,]+/);
    },
  });
}, 120_000);

test('a viewer is told how much a summary changed, and not what it says', async () => {
  await using pages = await startWorldPages(world, { role: 'viewer' });
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/sessions/${await world.sessionId()}`);

  await openNewest(page);
  await newest(page).getByText(counts).waitFor();

  expect(await page.getByText(/pier|ferry/).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
}, 60_000);
