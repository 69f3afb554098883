/** Pages over a large service in a real browser: 10,000 sessions, and one session of 20,000 rows. Times are printed. */
import { fillSessions } from '@palimpsest/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserStage, type BrowserStage } from '../support/browser-stage.ts';
import { openPage } from '../support/chromium.ts';
import { applyPlan } from '../support/compacted-sessions.ts';
import { summaryPlan } from '../support/plans.ts';
import { assistantRow, personRow, type StoreWorld } from '../support/store-world.ts';

const sessions = 10_000;
const rows = 20_000;
const archived = 15_000;
const rowsAtOnce = 2_000;
let longId: string;
let stage: BrowserStage;

beforeAll(async () => {
  stage = await openBrowserStage({ fill });
}, 300_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

async function fill(world: StoreWorld): Promise<void> {
  longId = await fillLong(world);
  await fillSessions(world.url, { after: 0, sessions, rows: 1 });
  // The fullest, the dearest and one with a name are not the newest.
  await world.query(`UPDATE sessions SET updated_at = now() - interval '2 days' WHERE id LIKE 'other-%'`);
  await world.query(
    `UPDATE sessions SET last_prompt_tokens = 7900, title = 'The fullest' WHERE id = 'other-4000'`,
  );
  await world.query(`UPDATE sessions SET title = 'Garden plans' WHERE id = 'other-5000'`);
}

/** A talk of which the first 15,000 lines were condensed. returns its id */
async function fillLong(world: StoreWorld): Promise<string> {
  const session = await world.newSession();
  const ids: number[] = [];
  for (let from = 1; from <= rows; from += rowsAtOnce) {
    const lines = Array.from({ length: rowsAtOnce }, (_, index) =>
      ((from + index) % 2 === 1 ? personRow : assistantRow)(`line ${from + index}`),
    );
    ids.push(...(await world.append(session.lease, lines)).map(({ id }) => id));
  }
  await applyPlan(world, session, summaryPlan(ids.slice(0, archived), 'what was said first'));
  await world.query('UPDATE sessions SET lease_until = NULL WHERE id = $1', [session.sessionId]);
  return session.sessionId;
}

/** Do it and print how long it took. */
async function timed<Result>(what: string, doing: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await doing();
  process.stdout.write(`  ${what}: ${Math.round(performance.now() - start)} ms\n`);
  return result;
}

const firstName = (page: Page) => page.getByRole('row').nth(1).getByRole('link').first();

test('10,000 sessions: the list opens, is ordered each way, searched and read further', async () => {
  await using opened = await openPage(stage.browser);
  const { page } = opened;

  await timed(`list of ${sessions} sessions`, async () => {
    await page.goto(`${stage.pages.url}/sessions`);
    await page.getByRole('row').nth(50).waitFor();
  });
  expect(await firstName(page).getAttribute('href')).toBe(`/sessions/${longId}`);
  await timed('read further', async () => {
    await page.getByRole('button', { name: 'Read further' }).click();
    await page.getByRole('row').nth(100).waitFor();
  });
  await timed('by context use', async () => {
    await page.getByRole('button', { name: 'Context use' }).click();
    await page.getByRole('row').nth(1).getByText('The fullest').waitFor();
  });
  await timed('by cost', async () => {
    const answer = page.waitForResponse((response) => response.url().includes('order=cost'));
    await page.getByRole('button', { name: 'Cost' }).click();
    expect((await answer).status()).toBe(200);
  });
  await timed('search', async () => {
    await page.getByRole('searchbox').fill('Garden');
    await page.getByRole('row').nth(1).getByText('Garden plans').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
  });
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('a session of 20,000 rows: its page opens, scrolls on, and the summary opens down to its lines', async () => {
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  const text = page.getByRole('region', { name: 'The text' });

  await timed(`page of ${rows} rows`, async () => {
    await page.goto(`${stage.pages.url}/sessions/${longId}`);
    await text.getByText('what was said first').waitFor();
  });
  const shown = text.locator('.sheets > .row');
  await expect.poll(() => shown.count()).toBe(200);
  await timed('read further', async () => {
    await text.getByRole('button', { name: 'Read further' }).last().click();
    await expect.poll(() => shown.count(), { interval: 20, timeout: 30_000 }).toBe(400);
  });
  await timed('scroll to the end', async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => shown.last().isVisible()).toBe(true);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  });
  await timed('open the summary', async () => {
    await text.getByText('15,000 older rows underneath').click();
    await text.getByText('line 1', { exact: true }).waitFor();
  });
  await timed('everything ever stored', async () => {
    await page.getByRole('button', { name: 'Everything ever stored' }).click();
    await text.locator('.row.archived').nth(100).waitFor();
  });
  expect(opened.complaints).toEqual([]);
}, 120_000);
