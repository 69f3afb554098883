/** The figures of the boards as a browser shows them, against those worked out by hand from what is in the database. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserStage, type BrowserStage } from '../support/browser-stage.ts';
import { openPage } from '../support/chromium.ts';
import { knownAttempts, knownBrakes, knownMinutes } from '../support/known-attempts.ts';
import { unknownModels } from '../support/session-pages.ts';
import type { TestSession } from '../support/store-world.ts';

// Dollars per million tokens.
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
let stage: BrowserStage;
let quiet: TestSession;

beforeAll(async () => {
  const context = { ...unknownModels, price: () => prices, usualTriggerTokens: () => 7_500 };
  stage = await openBrowserStage({
    pages: { deps: { context } },
    fill: async (world) => {
      const sessions = await knownAttempts(world);
      await knownBrakes(world, sessions);
      quiet = sessions.never;
    },
  });
}, 180_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

/** What is written there, line by line as a person reads it. */
async function written(place: Locator): Promise<string[]> {
  const texts = await place.allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

const rowsOf = (page: Page, region: string): Promise<string[]> =>
  written(page.getByRole('region', { name: region, exact: true }).locator('tbody tr'));

const figuresOf = (page: Page, list: string): Promise<string[]> =>
  written(page.getByRole('list', { name: list }).getByRole('listitem'));

async function openCompaction() {
  const opened = await openPage(stage.browser, { viewport: { width: 1280, height: 900 } });
  await opened.page.goto(`${stage.pages.url}/compaction`);
  await opened.page.getByRole('heading', { name: 'Cost against saving' }).waitFor();
  return opened;
}

test('compaction: what was attempted, what it reclaimed, and what the whole came to', async () => {
  await using opened = await openCompaction();
  const { page } = opened;

  expect(await rowsOf(page, 'Attempts by layer, trigger and outcome')).toEqual([
    'agent threshold declined resting after a summary that failed 2 – – 2 ms longest 3 ms',
    'agent threshold success 2 190,000 → 50,000 140,000 26 % left 600 ms longest 800 ms',
    'agent threshold failed the summary took too long 1 – – 1 min longest 1 min',
    'hygiene hygiene done without a model 1 50,000 → 25,000 25,000 50 % left 10.2 s longest 10.2 s',
    'manual manual did not help 1 40,000 → 39,000 1,000 98 % left 400 ms longest 400 ms',
  ]);
  expect(await figuresOf(page, 'In this time')).toEqual([
    '7 attempts',
    '4 changed something',
    '1 failed, 14 %',
    '166,000 tokens reclaimed',
    '41 % left of what was there',
    '1 min the longest took',
    // (900 + 600 + 300 + 850) of 4,000
    '66 % of prompts read from cache',
    // 0.270 saved; 0.4275 to write the cache anew, 0.0168 for summaries
    '−$0.174 saved, less what it cost',
    '2 sessions over their trigger',
    '4 sessions at rest',
  ]);
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('compaction: cost against saving, and after how many turns each pays for itself', async () => {
  await using opened = await openCompaction();

  expect(await rowsOf(opened.page, 'Cost against saving')).toEqual([
    // 80,000 in 4 calls and 60,000 in 8. (0.0084 + 0.1875) / (140,000 × 0.0000003) = 4.7 calls; 3 turns took 12 of them: 1.2
    'agent main, summaries by small 2 $0.008 2,000 tokens $0.188 50,000 tokens $0.240 800,000 tokens 2 turns 5 model calls',
    // 25,000 in 4 calls. (0.0042 + 0.09375) / 0.0075 = 13.1 calls; 1 turn took 4 of them: 3.3
    'hygiene main, summaries by small 1 $0.004 1,000 tokens $0.094 25,000 tokens $0.030 100,000 tokens 4 turns 14 model calls',
    // (0.0042 + 0.14625) / 0.0003 = 501.5 calls; no turn since
    'manual main, summaries by small 1 $0.004 1,000 tokens $0.146 39,000 tokens $0.000 0 tokens 502 model calls',
  ]);
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('compaction: the time lines say in words what they draw', async () => {
  await using opened = await openCompaction();
  const { page } = opened;
  const drawn = (name: RegExp): Promise<string | null> =>
    page.getByRole('img', { name }).getAttribute('aria-label');

  expect(await drawn(/^Attempts over time/)).toBe(
    'Attempts over time: 4 changed something, 2 declined, 1 failed.',
  );
  expect(await drawn(/^Cache-hit ratio/)).toBe(
    'Cache-hit ratio: between 30 and 90 percent, with 4 compactions marked.',
  );
  const beforeAfter = page.getByRole('region', { name: 'Tokens before and after' });
  await beforeAfter.getByText('As a table').click();
  expect((await written(beforeAfter.locator('tbody td'))).join(' ')).toBe('100k 20k 90k 30k 50k 25k 40k 39k');
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('compaction: over a week the older attempt counts too', async () => {
  await using opened = await openCompaction();
  const { page } = opened;

  await page.getByRole('button', { name: '7 days' }).click();
  await page.getByText('171,000').waitFor();

  expect((await figuresOf(page, 'In this time')).slice(0, 4)).toEqual([
    '8 attempts',
    '5 changed something',
    '1 failed, 13 %',
    '171,000 tokens reclaimed',
  ]);
  expect((await rowsOf(page, 'Attempts by layer, trigger and outcome'))[0]).toBe(
    'agent threshold success 3 200,000 → 55,000 145,000 28 % left 400 ms longest 800 ms',
  );
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('compaction: who is over the trigger, who rests and why, which summary model is off', async () => {
  await using opened = await openCompaction();
  const { page } = opened;
  const lines = async (region: string): Promise<string[]> => {
    const items = page.getByRole('region', { name: region }).getByRole('listitem');
    return (await written(items)).map((line) => line.replaceAll(/\d\d:\d\d/g, 'HH:MM'));
  };

  expect(await lines('Sessions over their trigger')).toEqual([
    'Busy 9,000 of 7,500 tokens 120 % of the trigger',
    'Last week 7,500 of 7,500 tokens 100 % of the trigger',
  ]);
  expect((await lines('Breakers and rests')).sort()).toEqual([
    'Busy breaker open the last compactions did not help, until HH:MM Reset',
    'Early cooling down the summary took too long, until HH:MM Reset',
    'Never summary calls used up summary calls of this hour are used up, until HH:MM Reset',
    'Pressed no message held a message had to wait for it, until HH:MM Reset',
    'openai/large in use 1 failure in a row Reset',
    'openai/small off until HH:MM 4 failures in a row Reset',
  ]);
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('the overview: what runs, waits, is stuck and failed, and the newest compactions', async () => {
  await knownMinutes(stage.world, quiet);
  await using opened = await openPage(stage.browser, { viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  await page.goto(stage.pages.url);
  await page.getByRole('list', { name: 'Now' }).waitFor();

  expect((await figuresOf(page, 'Now')).slice(0, 8)).toEqual([
    '1.5 messages/s',
    '6 turns in a minute',
    '2 answering now',
    '1 oldest 3 min',
    '3 replies going out',
    '2 unknown or dead replies',
    '4 errors in 24 h: 1 turn, 2 replies, 1 compaction',
    '5 open sessions',
  ]);
  await page.getByRole('img', { name: 'Last half hour: 2,700 messages, 180 turns, 1 failed.' }).waitFor();
  const newest = await rowsOf(page, 'Newest compactions');
  expect(newest.map((row) => row.replaceAll(/…\w+/g, '…'))).toEqual([
    '1 h ago … manual manual did not help 40,000 → 39,000 98 % left, 40 rows archived – 400 ms',
    '1 h ago … agent threshold failed the summary took too long – – 1 min',
    '1 h ago … agent threshold declined resting after a summary that failed – – 3 ms',
    '1 h ago … agent threshold declined resting after a summary that failed – – 1 ms',
    '3 h ago … hygiene hygiene done without a model 50,000 → 25,000 50 % left, 40 rows archived – 10.2 s',
    '6 h ago … agent threshold success 90,000 → 30,000 33 % left, 40 rows archived – 800 ms',
    '10 h ago … agent threshold success 100,000 → 20,000 20 % left, 40 rows archived – 400 ms',
    '3 d ago … agent threshold success 10,000 → 5,000 50 % left, 40 rows archived – 400 ms',
  ]);
  expect(opened.complaints).toEqual([]);
}, 120_000);
