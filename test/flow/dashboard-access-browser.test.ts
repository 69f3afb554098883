/** The chat, the sign-in and the sessions of the other engines in a real browser: pictures, and what axe says of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserStage, type BrowserStage } from '../support/browser-stage.ts';
import { startPages } from '../support/dashboard.ts';
import { sessionWithBlocks, sessionWithGraph } from '../support/engine-sessions.ts';
import { lookAtPage } from '../support/look-at-page.ts';

let stage: BrowserStage;

beforeAll(async () => {
  stage = await openBrowserStage({ pictures: 'access' });
}, 180_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

test('the chat: said, answered with a list and code, being written, and a notice', async () => {
  await using chat = await startPages();
  await lookAtPage({
    browser: stage.browser,
    url: `${chat.url}/chat`,
    picture: stage.picture('chat'),
    async at(page) {
      await page.getByText('Nothing written here yet').waitFor();
      await page.getByLabel('Message', { exact: true }).fill('Which ports are open?');
      await page.keyboard.press('Enter');
      await expect.poll(() => chat.world.submitted.length).toBe(1);
      chat.world.claim();
      chat.world.finish('Two of them:\n\n- `22` for **ssh**\n- `443` for the web\n\n```\nss -tln\n```');
      await page.getByRole('log').getByText('for the web').waitFor();
      chat.world.notice('Older parts of this conversation were condensed.');
      await page.getByText('were condensed').waitFor();
      await page.getByLabel('Message', { exact: true }).fill('And now?');
      await page.keyboard.press('Enter');
      await expect.poll(() => chat.world.submitted.length).toBe(2);
      chat.world.claim();
      chat.world.write('turn-2', 'One moment');
      await page.locator('.writing').getByText('One moment').waitFor();
    },
  });
}, 120_000);

test('the chat before anything was said', async () => {
  await using chat = await startPages();
  await lookAtPage({
    browser: stage.browser,
    url: `${chat.url}/chat`,
    picture: stage.picture('chat-empty'),
    at: (page) => page.getByText('Nothing written here yet').waitFor(),
  });
}, 120_000);

test('the sign-in, empty and after a wrong password', async () => {
  await using guarded = await startPages({ password: 'right horse' });
  await lookAtPage({
    browser: stage.browser,
    url: `${guarded.url}/`,
    picture: stage.picture('sign-in'),
    at: (page) => page.getByLabel('Password').waitFor(),
  });
  await lookAtPage({
    browser: stage.browser,
    url: `${guarded.url}/`,
    picture: stage.picture('sign-in-refused'),
    async at(page) {
      await page.getByLabel('Password').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
    },
  });
}, 120_000);

test('a session of the lossless engine: the graph, opened down to the lines', async () => {
  const { sessionId } = await sessionWithGraph(stage.world);
  await stage.world.query(`UPDATE sessions SET engine = 'lcm' WHERE id = $1`, [sessionId]);

  await lookAtPage({
    browser: stage.browser,
    url: `${stage.pages.url}/sessions/${sessionId}`,
    picture: stage.picture('lcm'),
    async at(page) {
      const graph = page.getByRole('region', { name: /graph/i });
      // The drawing above the lists moves them when it comes.
      await graph.getByText('Arrow keys walk through it').waitFor();
      await graph.locator('summary').first().click();
      await graph.locator('details details summary').first().click();
      await graph.getByText('line 1', { exact: true }).waitFor();
    },
  });
}, 120_000);

test('a session of the model-guided engine: blocks, one opened down to the lines, and its reminders', async () => {
  const { sessionId } = await sessionWithBlocks(stage.world);
  await stage.world.query(`UPDATE sessions SET engine = 'dcp' WHERE id = $1`, [sessionId]);

  await lookAtPage({
    browser: stage.browser,
    url: `${stage.pages.url}/sessions/${sessionId}`,
    picture: stage.picture('dcp'),
    async at(page) {
      const blocks = page.getByRole('region', { name: /blocks/i });
      await blocks.locator('summary').nth(1).click();
      await blocks.getByText('two', { exact: true }).first().waitFor();
    },
  });
}, 120_000);
