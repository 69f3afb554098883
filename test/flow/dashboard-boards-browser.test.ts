/** Every board in a real browser, by role: what it shows, what can be pressed, and pictures of it for people. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillDay } from '../support/board-figures.ts';
import { openBrowserStage, type BrowserStage } from '../support/browser-stage.ts';
import { openPage } from '../support/chromium.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { unknownModels } from '../support/session-pages.ts';
import type { StoreWorld, TestSession } from '../support/store-world.ts';

// Dollars per million tokens.
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
let session: TestSession;
let stage: BrowserStage;

beforeAll(async () => {
  const context = { ...unknownModels, price: () => prices, usualTriggerTokens: () => 7_500 };
  stage = await openBrowserStage({ pictures: 'boards', fill, pages: { deps: { context } } });
}, 180_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

async function fill(world: StoreWorld): Promise<void> {
  session = await world.newSession();
  await world.query(
    `UPDATE sessions SET title = 'Garden plans', last_prompt_tokens = 7900, lease_until = NULL WHERE id = $1`,
    [session.sessionId],
  );
  await fillDay(world, session);
}

const look = (path: string, name: string, at: (page: Page) => Promise<void>): Promise<void> =>
  lookAtPage({ browser: stage.browser, url: `${stage.pages.url}${path}`, picture: stage.picture(name), at });

test('the overview: what arrives and is answered by the minute, what failed, and the newest of both lists', async () => {
  await look('/', 'overview', async (page) => {
    await page.getByRole('link', { name: 'Garden plans' }).waitFor();
    const chart = await page.getByRole('img', { name: 'Last half hour' }).getAttribute('aria-label');
    expect(chart).toMatch(/\d+ messages, \d+ turns, 1 failed\./);
    const now = await page.getByRole('list', { name: 'Now' }).innerText();
    expect(now).toMatch(/2\s*errors in 24 h/);
    expect(now).toMatch(/messages\/s/);
  });
}, 120_000);

test('compaction: attempts by kind, cost against saving with its break-even, cache with compactions marked, brakes', async () => {
  await stage.world.query(
    `UPDATE sessions SET ineffective_streak = 2, probe_at = now() + interval '1 h' WHERE id = $1`,
    [session.sessionId],
  );
  await look('/compaction', 'compaction', async (page) => {
    const attempts = page.getByRole('region', { name: 'Attempts by layer' });
    const success = attempts.getByRole('row').filter({ hasText: 'success' });
    expect(await success.innerText()).toMatch(/agent\s*threshold/);
    await attempts.getByText('the summary took too long').waitFor();
    const cost = page.getByRole('region', { name: 'Cost against saving' });
    expect(await cost.getByRole('row').nth(1).innerText()).toMatch(/\d+ turns?\s+\d+ model calls?/);
    await page.getByRole('img', { name: 'compactions marked' }).waitFor();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByText('breaker open').waitFor();
    await page.getByText('105 % of the trigger').waitFor();
  });
}, 120_000);

test('a breaker is reset where it is seen, and that leaves a row on the page of events', async () => {
  await stage.world.query(`UPDATE sessions SET ineffective_streak = 2 WHERE id = $1`, [session.sessionId]);
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}/compaction`);

  await page.getByRole('button', { name: 'Reset Garden plans' }).click();
  await page.getByText('Automatic compaction may try again with the next message.').waitFor();
  await page.getByText('none rests').waitFor();
  await page.goto(`${stage.pages.url}/events`);

  await page.getByText('let compaction try again').waitFor();
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('sessions are searched and put in order, and the address says how', async () => {
  const other = await stage.world.newSession({ chatId: 'harbour' });
  await stage.world.query(`UPDATE sessions SET title = 'Harbour talk' WHERE id = $1`, [other.sessionId]);
  await stage.world.query(
    `INSERT INTO usage_days (session_id, day, person_id, model, microdollars) VALUES ($1, '2026-05-01', 0, 'm', 1250000)`,
    [other.sessionId],
  );
  await look('/sessions', 'sessions', async (page) => {
    const names = page.getByLabel('List of sessions').locator('a.name');
    await page.getByRole('button', { name: 'Cost' }).click();
    await page.getByText('$1.25').waitFor();
    expect(await names.first().innerText()).toBe('Harbour talk');
    await page.getByRole('searchbox').fill('garden');
    await page.getByRole('link', { name: 'Harbour talk' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?order=cost&search=garden');
    await page.reload();
    await page.getByRole('link', { name: 'Garden plans' }).waitFor();
    expect(await names.count()).toBe(1);
    await page.getByRole('searchbox').fill('nobody at all');
    await page.getByText('No session is called').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('link', { name: 'Harbour talk' }).waitFor();
  });
}, 120_000);

test('events are seen as they happen, chosen by kind, and read further back', async () => {
  const tell = (type: string, fields: object = {}) =>
    stage.world.query(`INSERT INTO events (session_id, type, payload) VALUES ($1, $2, $3)`, [
      session.sessionId,
      type,
      { type, sessionId: session.sessionId, platform: 'telegram', ...fields },
    ]);
  for (let one = 0; one < 55; one++) await tell('agent:end', { outcome: 'answered', steps: one });
  await look('/events', 'events', async (page) => {
    await page.getByText('answered after 54 steps').first().waitFor();
    await tell('session:export');
    await page.locator('.chip', { hasText: 'exported' }).first().waitFor();
    await page.getByRole('button', { name: 'Read further' }).first().click();
    await page.getByText('answered after 1 step', { exact: true }).first().waitFor();
    // Below more events than anybody scrolls through.
    await page.getByRole('link', { name: 'What operators did' }).click();
    const below = page.getByRole('heading', { name: 'What operators did' });
    await expect.poll(async () => (await below.boundingBox())!.y).toBeLessThan(900);
    await page.getByLabel('Which events').selectOption('session:export');
    await page.getByText('answered after 54 steps').first().waitFor({ state: 'detached' });
  });
}, 120_000);

test('an event between the first look and the live stream is seen too', async () => {
  await look('/', 'events-before', async (page) => {
    await page.route('**/api/events/stream*', async (route) => {
      await stage.world.query(
        `INSERT INTO events (session_id, type, payload) VALUES ($1, 'session:forgotten', $2)`,
        [
          session.sessionId,
          { type: 'session:forgotten', sessionId: session.sessionId, platform: 'telegram' },
        ],
      );
      await route.continue();
    });
    await page.goto(new URL('/events', page.url()).href);
    await page.locator('.stream li', { hasText: 'session:forgotten' }).first().waitFor();
  });
}, 120_000);
