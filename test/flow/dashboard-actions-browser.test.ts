/** What an operator does on a session's page, carried out by a real worker, in a real browser. */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Lease } from '@palimpsest/core';
import { scriptedSummariser, type ModelScript, type ScriptRequest } from '@palimpsest/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessProblems } from '../support/axe.ts';
import { openBrowser, openPage } from '../support/chromium.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const shots = fileURLToPath(new URL('../../test-output/actions/', import.meta.url));
const config = 'compression: {background: false}';
let browser: Browser;

beforeAll(async () => {
  mkdirSync(shots, { recursive: true });
  browser = await openBrowser();
}, 300_000);

afterAll(() => browser?.close());

test('an operator looks ahead, compacts, takes it back, switches, exports and erases; each leaves its row', async () => {
  const asked: ScriptRequest[] = [];
  const write = scriptedSummariser({ tokenBudget: 300 });
  const summariser: ModelScript = (request) => {
    asked.push(request);
    return write(request);
  };
  await using world = await openTurnWorld({ script: answering(), window: 16_000, config, summariser });
  await talk(world, 10);
  await using pages = await startWorldPages(world);
  await using opened = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  const sessionId = await world.sessionId();
  await page.goto(`${pages.url}/sessions/${sessionId}`);
  const actions = page.getByRole('region', { name: 'Actions' });

  await actions.getByLabel('Keep in detail').fill('fares in winter');
  await actions.getByRole('button', { name: 'Preview' }).click();
  await actions.getByText('Would leave').waitFor();
  expect(asked).toEqual([]);
  await actions.getByRole('button', { name: 'Compact now' }).click();
  await actions.getByText(/^Condensed: /).waitFor();
  const topic =
    'The user asked to keep this topic in detail; give it 60–70 % of the length, and the rest the remainder: "fares in winter"';
  expect(asked.map(({ messages }) => messages.filter(({ text }) => text.includes(topic)).length)).toEqual([
    1,
  ]);
  await page.getByLabel('Compactions').getByText('#1', { exact: true }).waitFor();
  await page.screenshot({ path: `${shots}compacted.png`, fullPage: true });
  expect(await accessProblems(page)).toEqual([]);

  await actions.getByRole('button', { name: 'Undo the last compaction' }).click();
  await actions.getByRole('button', { name: 'Bring the older rows back' }).click();
  await page.getByText('taken back by #').waitFor();
  await actions.getByText('Engine, model, rests').click();
  await actions.getByLabel('Engine', { exact: true }).selectOption('lcm');
  await actions.getByRole('button', { name: 'Switch the engine' }).click();
  await actions.getByText('From the next message on this conversation runs on lcm').waitFor();
  // The worker lets go of the session a moment after its answer; while it holds it, the button is refused.
  await until(async () => {
    await actions.getByRole('button', { name: 'Reset breaker and cooldown' }).click();
    const end = actions.getByText(/may try again|holds this session/);
    await end.waitFor();
    return (await end.textContent())!.includes('may try again');
  });

  const downloading = page.waitForEvent('download');
  await actions.getByRole('link', { name: 'Export' }).click();
  const lines = readFileSync(await (await downloading).path(), 'utf8')
    .trim()
    .split('\n');
  expect(JSON.parse(lines[0]!)).toMatchObject({ type: 'session', id: sessionId });
  expect(lines.join('\n')).toContain('Line 2. The ferry');

  const erase = actions.getByRole('button', { name: 'Erase' });
  expect(await erase.isDisabled()).toBe(true);
  await actions.getByLabel('To erase all that was said').fill(sessionId.slice(-8));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.screenshot({ path: `${shots}phone-dark.png`, fullPage: true });
  expect(await accessProblems(page)).toEqual([]);
  await erase.click();
  await actions.getByText(/^Erased \d+ messages/).waitFor();

  const done = page.getByRole('region', { name: 'What operators did here' });
  await done.getByText('erased it').waitFor();
  const acts = (await world.store.boards.actions({ limit: 20 })).map(({ act }) => act);
  expect(acts).toEqual([
    'erase',
    'export',
    'reset_rests',
    'switch_engine',
    'undo_compaction',
    'compact',
    'preview',
  ]);
  expect(JSON.stringify(await world.store.boards.actions({ limit: 20 }))).not.toMatch(/ferry|fares/);
  expect(opened.complaints).toEqual([]);
}, 300_000);

test('an operator takes a session from its holder, switches its model, and has a summary model asked again', async () => {
  const choices = 'model: {choices: [claude-opus-5], ask_provider: false}';
  await using world = await openTurnWorld({ script: answering(), window: 16_000, config: choices });
  await talk(world, 1);
  await using pages = await startWorldPages(world);
  await using opened = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  const { turns, lcm, boards } = world.store;
  const sessionId = await world.sessionId();
  // Another process takes it and never comes back.
  let lost: Lease | undefined;
  await until(async () => {
    const claim = await turns.claim(sessionId, 'a process that is away', 3_600_000);
    if (claim.kind === 'claimed') lost = claim.lease;
    return claim.kind === 'claimed';
  });
  await page.goto(`${pages.url}/sessions/${sessionId}`);
  const actions = page.getByRole('region', { name: 'Actions' });

  const parts =
    /System text [\d,]+, Tools [\d,]+, Head, kept [\d,]+, Summaries 0, Middle, condensed next 0, Middle, tool results 0, Tail, kept [\d,]+\./;
  await page.getByRole('img', { name: parts }).waitFor();
  await page.getByText(/^a process that is away, epoch \d+$/).waitFor();
  await actions.getByText('Engine, model, rests').click();
  await actions.getByRole('button', { name: 'Reset breaker and cooldown' }).click();
  await actions.getByText('A worker holds this session just now').waitFor();
  await actions.getByRole('button', { name: 'Release the lease' }).click();
  await page.screenshot({ path: `${shots}release.png`, fullPage: true });
  await actions.getByRole('button', { name: 'Take it from its worker' }).click();
  await actions.getByText('Taken from its holder; any worker may go on with it').waitFor();
  expect(await turns.renew(lost!, 60_000)).toBe(false);

  await actions.getByLabel('Model', { exact: true }).selectOption('anthropic/claude-opus-5');
  await actions.getByRole('button', { name: 'Switch the model' }).click();
  await actions.getByText('From the next message on anthropic/claude-opus-5 answers here').waitFor();
  expect(await accessProblems(page)).toEqual([]);
  await talk(world, 1);
  expect(world.model.requests.at(-1)?.body).toMatch(/^\{"model":"claude-opus-5"/);

  await lcm.breakerFailed('custom', 'summariser', { threshold: 1, cooldownMs: 3_600_000 });
  await page.goto(`${pages.url}/compaction`);
  const rests = page.getByRole('region', { name: 'Breakers and rests' });
  await rests.getByText(/^off until/).waitFor();
  await rests.getByRole('button', { name: 'Reset custom/summariser' }).click();
  await rests.getByText('It is asked again.').waitFor();
  await rests.getByRole('button', { name: 'Reset custom/summariser' }).waitFor({ state: 'detached' });
  // Nothing was compacted here: no axes of another century, but words.
  for (const quiet of ['Attempts over time', 'Tokens before and after'])
    await page.getByRole('region', { name: quiet }).getByText('Nothing in this time.').waitFor();
  // Nothing was compacted here: no axes of another century, but words.
  for (const quiet of ['Attempts over time', 'Tokens before and after'])
    await page.getByRole('region', { name: quiet }).getByText('Nothing in this time.').waitFor();
  await page.screenshot({ path: `${shots}summary-model.png`, fullPage: true });

  const acts = await boards.actions({ limit: 20 });
  expect(acts.map(({ act, target }) => [act, target])).toEqual([
    ['reset_breaker', 'custom/summariser'],
    ['switch_model', 'anthropic/claude-opus-5'],
    ['release_lease', null],
  ]);
  expect(opened.complaints).toEqual([]);
}, 240_000);

test('a viewer sees the figures of a session and neither its text nor a button', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 16_000, config });
  await talk(world, 4);
  await using pages = await startWorldPages(world, { password: 'open sesame 1', viewerPassword: 'look 2' });
  await using opened = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  await page.goto(`${pages.url}/sessions/${await world.sessionId()}`);
  await page.getByLabel('Password').fill('look 2');
  await page.getByRole('button', { name: 'Sign in' }).click();

  await page.getByText('what was said is not').waitFor();
  await page.getByText('tokens to go until it is compacted').waitFor();
  expect(await page.getByRole('button', { name: 'Compact now' }).count()).toBe(0);
  expect(await page.getByText('ferry').count()).toBe(0);
  await page.screenshot({ path: `${shots}viewer.png`, fullPage: true });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Password').waitFor();
  expect(opened.complaints).toEqual([]);
}, 240_000);

test('the queues are counted and can be looked into, in both themes and on a phone', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 16_000, config });
  await talk(world, 1);
  await using pages = await startWorldPages(world);
  await lookAtPage({
    browser,
    url: `${pages.url}/queues`,
    picture: `${shots}queues`,
    at: (page) => page.getByRole('row').filter({ hasText: 'turns' }).waitFor(),
  });
  await using opened = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  await page.goto(`${pages.url}/queues`);

  await page.getByRole('link', { name: 'Look into the jobs' }).click();
  // Not ours: only looked at, and it has to stay usable.
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [width, name] of [
      [1280, ''],
      [390, '-phone'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      await page.getByRole('link', { name: 'maintenance' }).filter({ visible: true }).first().waitFor();
      await page.getByText('1 Job', { exact: true }).first().waitFor();
      await page.screenshot({ path: `${shots}queue-board-${colorScheme}${name}.png` });
    }
  }
  await page.locator('header li button').last().click();
  await page.getByText('Back to Palimpsest').click();
  await page.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/queues');
  const written = await page.request.put(`${pages.url}/queues/board/api/queues/turns/pause`, {
    headers: { Origin: pages.origin },
  });
  expect(written.status()).toBe(403);
  expect(opened.complaints).toEqual([]);
}, 240_000);
