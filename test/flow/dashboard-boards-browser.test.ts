/** Every board in a real browser, by role: what it shows, what can be pressed, and pictures of it for people. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../packages/store/src/database.ts';
import { writeEvents } from '../../packages/store/src/write-events.ts';
import { fillDay, troubledReply } from '../support/board-figures.ts';
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

test('deliveries: a dead reply is looked at and sent again, an unknown one is dropped after a question', async () => {
  const dead = await troubledReply(stage.world, session, {
    state: 'dead',
    problem: 'given up after 9 attempts',
  });
  const unknown = await troubledReply(stage.world, session, { state: 'unknown' });
  await look('/deliveries', 'deliveries', async (page) => {
    const card = page.getByRole('listitem', { name: `Reply ${dead}` });
    await card.getByText('Look at it').click();
    await card.getByText('It comes back at six.').waitFor();
    await card.getByText('given up after 9 attempts').waitFor();
  });
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}/deliveries`);

  await page.getByRole('button', { name: 'dead', exact: true }).click();
  const card = page.getByRole('listitem', { name: `Reply ${dead}` });
  await card.getByRole('button', { name: 'Send again' }).click();
  await card.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'All' }).click();
  const other = page.getByRole('listitem', { name: `Reply ${unknown}` });
  await other.getByRole('button', { name: 'Drop' }).click();
  await other.getByRole('button', { name: 'Drop it: nobody will send it' }).click();
  await page.getByText('None: every reply reached its chat.').waitFor();

  const states = await stage.world.query('SELECT id::int, state FROM outbox WHERE id = ANY($1) ORDER BY id', [
    [dead, unknown],
  ]);
  expect(states).toEqual([
    { id: dead, state: 'pending' },
    { id: unknown, state: 'cancelled' },
  ]);
  expect(opened.complaints).toEqual([]);
}, 120_000);

test('deliveries: a message that was given up is read and answered after all, an event that a hook did not take is dropped', async () => {
  const { sessionId, chat } = session;
  await stage.world.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, state, attempts, done_at)
     VALUES ($1, 900, $2, 'message', '{"kind": "message", "message": {"text": "When does the ferry go?"}}', 'dead', 3, now())`,
    [sessionId, chat.chatRowId],
  );
  await transaction(stage.world.db, (tx) =>
    writeEvents(tx, [{ type: 'session:start', sessionId, platform: 'telegram' }]),
  );
  await stage.world.query(
    `INSERT INTO hook_deliveries (session_id, event_id, subscriber, state, attempts, problem)
     SELECT session_id, id, 'tracker', 'dead', 5, 'answered 500' FROM events WHERE session_id = $1 LIMIT 1`,
    [sessionId],
  );
  await look('/deliveries', 'dead-letters', async (page) => {
    const card = page.getByRole('listitem', { name: `Message 900 of ${sessionId}` });
    await card.getByText('Look at it').click();
    await card.getByText('When does the ferry go?').waitFor();
    await page.getByText('answered 500').waitFor();
  });
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}/deliveries`);

  const message = page.getByRole('listitem', { name: `Message 900 of ${sessionId}` });
  await message.getByRole('button', { name: 'Answer it' }).click();
  await page.getByText('It is answered next.').waitFor();
  await message.waitFor({ state: 'detached' });
  const event = page.getByRole('listitem', { name: /^Event \d+ for tracker$/ });
  await event.getByRole('button', { name: 'Drop' }).click();
  await event.getByRole('button', { name: 'Drop it: the hook is not told' }).click();
  await page.getByText('None: every hook was told.').waitFor();

  const states = await stage.world.query(
    `SELECT (SELECT state FROM mailbox WHERE session_id = $1 AND seq = 900) AS message,
       (SELECT state FROM hook_deliveries WHERE subscriber = 'tracker') AS event`,
    [sessionId],
  );
  expect(states).toEqual([{ message: 'pending', event: 'dropped' }]);
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
