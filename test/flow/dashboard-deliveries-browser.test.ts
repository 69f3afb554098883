/** The page of what did not arrive, in a real browser: what is pressed there, what it leaves, and what the page says. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { troubledReply } from '../support/board-figures.ts';
import { openBrowserStage, type BrowserStage } from '../support/browser-stage.ts';
import { openPage, type WatchedPage } from '../support/chromium.ts';
import { deadEvent, deadMessage } from '../support/dead-letters.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { startStorePages } from '../support/session-pages.ts';
import type { TestSession } from '../support/store-world.ts';

let session: TestSession;
let stage: BrowserStage;

beforeAll(async () => {
  stage = await openBrowserStage({
    pictures: 'boards',
    fill: async (world) => {
      session = await world.newSession();
      await world.query(`UPDATE sessions SET lease_until = NULL WHERE id = $1`, [session.sessionId]);
    },
  });
}, 180_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

const sql = <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
  stage.world.query<Row>(text, values);

async function openDeliveries(): Promise<WatchedPage> {
  const opened = await openPage(stage.browser);
  await opened.page.goto(`${stage.pages.url}/deliveries`);
  return opened;
}

const card = (page: Page, name: string | RegExp): Locator => page.getByRole('listitem', { name });

/** Drop it, and be sure of it. */
async function drop(one: Locator, sure: string): Promise<void> {
  await one.getByRole('button', { name: 'Drop' }).click();
  await one.getByRole('button', { name: sure }).click();
}

/** The page said so, the letter is gone from it, and the newest row of what operators did tells it by whom. */
async function isSettled(
  { page, complaints }: WatchedPage,
  {
    gone,
    said,
    row,
    words,
  }: { gone: Locator; said: string; row: [act: string, target: string]; words: string },
): Promise<void> {
  await page.getByRole('status').getByText(said, { exact: true }).waitFor();
  await gone.waitFor({ state: 'detached' });
  const [newest] = await sql(
    `SELECT actor, via, act, session_id, target FROM operator_actions ORDER BY id DESC LIMIT 1`,
    [],
  );
  expect(newest).toEqual({
    actor: 'local',
    via: 'dashboard',
    act: row[0],
    session_id: session.sessionId,
    target: row[1],
  });
  await page.goto(`${stage.pages.url}/events`);
  const done = page.getByRole('region', { name: 'What operators did' }).getByRole('listitem').first();
  expect((await done.innerText()).replaceAll(/\s+/g, ' ')).toContain(words);
  expect(complaints).toEqual([]);
}

test('a dead reply is looked at and sent again: what has its receipt stays, the rest waits', async () => {
  const id = await troubledReply(stage.world, session, {
    state: 'dead',
    problem: 'given up after 9 attempts',
  });
  const picture = stage.picture('deliveries');
  const url = `${stage.pages.url}/deliveries`;
  await lookAtPage({
    browser: stage.browser,
    url,
    picture,
    at: async (page) => {
      await card(page, `Reply ${id}`).getByText('Look at it').click();
      await page.getByText('It comes back at six.').waitFor();
      await page.getByText('given up after 9 attempts').waitFor();
    },
  });
  await using opened = await openDeliveries();
  await opened.page.getByRole('button', { name: 'dead', exact: true }).click();
  const dead = card(opened.page, `Reply ${id}`);

  await dead.getByRole('button', { name: 'Send again' }).click();

  const said = 'It is on its way again.';
  await isSettled(opened, {
    gone: dead,
    said,
    row: ['retry_delivery', String(id)],
    words: `local sent a reply again: ${id}`,
  });
  expect(await sql('SELECT state, attempts, problem, finished_at FROM outbox WHERE id = $1', [id])).toEqual([
    { state: 'pending', attempts: 0, problem: null, finished_at: null },
  ]);
  const parts = `SELECT state, platform_message_id, may_be_out FROM outbox_parts WHERE reply_id = $1 ORDER BY position`;
  expect(await sql(parts, [id])).toEqual([
    { state: 'sent', platform_message_id: '881', may_be_out: false },
    { state: 'pending', platform_message_id: null, may_be_out: false },
  ]);
}, 120_000);

test('a reply of which nobody knows is dropped after a question, and a second thought leaves it', async () => {
  const id = await troubledReply(stage.world, session, { state: 'unknown' });
  await using opened = await openDeliveries();
  const unknown = card(opened.page, `Reply ${id}`);
  await unknown.getByRole('button', { name: 'Drop' }).click();
  await unknown.getByRole('button', { name: 'No', exact: true }).click();
  expect(await sql('SELECT state FROM outbox WHERE id = $1', [id])).toEqual([{ state: 'unknown' }]);

  await drop(unknown, 'Drop it: nobody will send it');

  const said = 'Dropped: nobody will send it.';
  await opened.page.getByText('None: every reply reached its chat.').waitFor();
  await isSettled(opened, {
    gone: unknown,
    said,
    row: ['drop_delivery', String(id)],
    words: `local dropped a reply: ${id}`,
  });
  const state = 'SELECT state, attempts, finished_at IS NOT NULL AS finished FROM outbox WHERE id = $1';
  expect(await sql(state, [id])).toEqual([{ state: 'cancelled', attempts: 9, finished: true }]);
}, 120_000);

test('on a phone it is seen at the end of a long list what came of a press there', async () => {
  for (let one = 0; one < 12; one++) await troubledReply(stage.world, session, { state: 'failed' });
  await using opened = await openPage(stage.browser, { viewport: { width: 390, height: 844 } });
  const { page } = opened;
  await page.goto(`${stage.pages.url}/deliveries`);
  const last = page.getByRole('listitem', { name: /^Reply/ }).last();

  await drop(last, 'Drop it: nobody will send it');

  const said = page.getByText('Dropped: nobody will send it.', { exact: true });
  await said.waitFor();
  expect(await page.evaluate('scrollY')).toBeGreaterThan(844);
  const { y, height } = (await said.boundingBox())!;
  expect([y >= 0, y + height <= 844]).toEqual([true, true]);
  await page.screenshot({ path: stage.picture('deliveries-pressed-phone.png') });
  await sql(`UPDATE outbox SET state = 'cancelled' WHERE state = $1`, ['failed']);
}, 120_000);

test('what another operator settled meanwhile is said, and nothing is written down twice', async () => {
  const id = await troubledReply(stage.world, session, { state: 'dead' });
  await using opened = await openDeliveries();
  const dead = card(opened.page, `Reply ${id}`);
  await dead.getByRole('button', { name: 'Drop' }).click();
  await sql(`UPDATE outbox SET state = 'cancelled' WHERE id = $1`, [id]);

  await dead.getByRole('button', { name: 'Drop it: nobody will send it' }).click();

  await opened.page
    .getByText('This reply is not among the troubled ones any more: somebody was faster.')
    .waitFor();
  await dead.waitFor({ state: 'detached' });
  expect(await sql('SELECT id FROM operator_actions WHERE target = $1', [String(id)])).toEqual([]);
  expect(opened.complaints).toEqual([]);
}, 120_000);

const stateOfMessage = `SELECT state, attempts, turn_id, reason, done_at IS NOT NULL AS finished FROM mailbox
  WHERE session_id = $1 AND seq = $2`;

test('a message that was given up is read and answered after all', async () => {
  const { sessionId, seq } = await deadMessage(stage.world, session, 900);
  await deadEvent(stage.world, session, 'shown');
  await lookAtPage({
    browser: stage.browser,
    url: `${stage.pages.url}/deliveries`,
    picture: stage.picture('dead-letters'),
    at: async (page) => {
      await card(page, `Message ${seq} of ${sessionId}`).getByText('Look at it').click();
      await page.getByText('When does the ferry go?').waitFor();
      await page.getByText('answered 500').waitFor();
    },
  });
  await using opened = await openDeliveries();
  const message = card(opened.page, `Message ${seq} of ${sessionId}`);

  await message.getByRole('button', { name: 'Answer it' }).click();

  await isSettled(opened, {
    gone: message,
    said: 'It is answered next.',
    row: ['retry_message', '900'],
    words: 'local had a given up message answered: 900',
  });
  expect(await sql(stateOfMessage, [sessionId, seq])).toEqual([
    { state: 'pending', attempts: 0, turn_id: null, reason: null, finished: false },
  ]);
}, 120_000);

test('a message that was given up is dropped', async () => {
  const { sessionId, seq } = await deadMessage(stage.world, session, 901);
  await using opened = await openDeliveries();
  const message = card(opened.page, `Message ${seq} of ${sessionId}`);

  await drop(message, 'Drop it: nobody will answer it');

  await opened.page.getByText('None: every message was answered or waits.').waitFor();
  await isSettled(opened, {
    gone: message,
    said: 'Dropped: nobody will answer it.',
    row: ['drop_message', '901'],
    words: 'local dropped a given up message: 901',
  });
  expect(await sql(stateOfMessage, [sessionId, seq])).toEqual([
    { state: 'withdrawn', attempts: 3, turn_id: null, reason: 'dropped', finished: true },
  ]);
}, 120_000);

const stateOfEvent = `SELECT state, attempts, not_before <= now() AS due, done_at IS NOT NULL AS finished FROM hook_deliveries
  WHERE event_id = $1 AND subscriber = $2`;

test('an event that a hook did not take is told to it again', async () => {
  const { id, subscriber } = await deadEvent(stage.world, session, 'tracker');
  await using opened = await openDeliveries();
  const event = card(opened.page, `Event ${id} for ${subscriber}`);

  await event.getByRole('button', { name: 'Tell it again' }).click();

  await isSettled(opened, {
    gone: event,
    said: 'It is told again.',
    row: ['retry_event', `tracker ${id}`],
    words: `local had a hook told of an event again: tracker ${id}`,
  });
  expect(await sql(stateOfEvent, [id, subscriber])).toEqual([
    { state: 'pending', attempts: 0, due: true, finished: false },
  ]);
}, 120_000);

test('an event that a hook did not take is dropped', async () => {
  const { id, subscriber } = await deadEvent(stage.world, session, 'ledger');
  await using opened = await openDeliveries();
  const event = card(opened.page, `Event ${id} for ${subscriber}`);

  await drop(event, 'Drop it: the hook is not told');

  await isSettled(opened, {
    gone: event,
    said: 'Dropped: the hook is not told.',
    row: ['drop_event', `ledger ${id}`],
    words: `local dropped an event that a hook was to hear of: ledger ${id}`,
  });
  expect(await sql(stateOfEvent, [id, subscriber])).toEqual([
    { state: 'dropped', attempts: 0, due: true, finished: true },
  ]);
}, 120_000);

test('a viewer sees what did not arrive, its figures and no button, and nothing to read that would be hidden', async () => {
  const reply = await troubledReply(stage.world, session, { state: 'dead' });
  const { sessionId, seq } = await deadMessage(stage.world, session, 902);
  const { id: event } = await deadEvent(stage.world, session, 'archive');
  await stage.world.query(`UPDATE sessions SET title = 'Ferries', ineffective_streak = 2`);
  await using pages = await startStorePages(stage.world, { role: 'viewer' });
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${pages.url}/deliveries`);

  const letters = [`Reply ${reply}`, `Message ${seq} of ${sessionId}`, `Event ${event} for archive`];
  for (const name of letters) {
    const letter = card(page, name);
    await letter.waitFor();
    expect([name, await letter.getByRole('button').count()]).toEqual([name, 0]);
  }
  expect(await card(page, letters[1]!).getByText('Look at it').count()).toBe(0);
  await card(page, letters[0]!).getByText('Look at it').click();
  await page.getByText('has its receipt').waitFor();
  await page.goto(`${pages.url}/compaction`);
  await page.getByText('breaker open').waitFor();
  expect(await page.getByRole('button', { name: /^Reset/ }).count()).toBe(0);
  await page
    .getByRole('region', { name: 'Breakers and rests' })
    .getByRole('link', { name: 'a place' })
    .waitFor();
  await page.goto(`${pages.url}/sessions`);
  await page.getByRole('link', { name: 'a place' }).waitFor();
  expect(await page.getByRole('searchbox').getAttribute('placeholder')).toBe('Chat or id');
  expect(await page.getByText(/ferr/i).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
}, 120_000);
