/** The drawings of a session in a real browser: by keyboard and by pointer, by role, and pictures for people. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserStage, type BrowserStage } from '../support/browser-stage.ts';
import { openPage } from '../support/chromium.ts';
import { sessionWithBlocks, sessionWithGraph } from '../support/engine-sessions.ts';
import { lookAtPage } from '../support/look-at-page.ts';
import { startStorePages } from '../support/session-pages.ts';

let stage: BrowserStage;

beforeAll(async () => {
  stage = await openBrowserStage({ pictures: 'drawings' });
}, 180_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

/** Path of the page of a session under the engine. */
async function pathOf(engine: string, { sessionId }: { sessionId: string }): Promise<string> {
  await stage.world.query('UPDATE sessions SET engine = $2 WHERE id = $1', [sessionId, engine]);
  return `/sessions/${sessionId}`;
}

/** Name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName);

test('the graph is walked by arrow keys, a node opens by Enter down to its lines, Escape comes back to it', async () => {
  const path = await pathOf('lcm', await sessionWithGraph(stage.world));
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}${path}`);
  const graph = page.getByRole('group', { name: 'Drawing of the graph' });
  await graph.waitFor();

  expect(await graph.getAttribute('aria-label')).toBe(
    'Drawing of the graph: 2 nodes of depth 1 over 4 leaves, over 8 messages; 1 row as they are.',
  );
  // One stop of the Tab key, whatever its size.
  expect(await graph.locator('[tabindex="0"]').count()).toBe(1);
  await graph.locator('[tabindex="0"]').focus();
  expect(await focused(page)).toBe('Node of depth 1, 25 tokens over 2 sources, stands in the context');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  expect(await focused(page)).toBe('Leaf, 20 tokens over 2 messages, under a node of the context');
  await page.keyboard.press('Enter');
  const below = page.getByRole('group', { name: 'Opened in the drawing' });
  await below.getByText('leaf 6', { exact: true }).waitFor();
  await below.getByText('line 7', { exact: true }).waitFor();
  await below.getByText('line 8', { exact: true }).waitFor();
  expect(await focused(page)).toBe('Opened in the drawing');
  await page.keyboard.press('Escape');
  expect(await below.count()).toBe(0);
  expect(await focused(page)).toBe('Leaf, 20 tokens over 2 messages, under a node of the context');

  await graph.getByRole('button', { name: 'Node of depth 1' }).first().click();
  await below.getByText('left', { exact: true }).waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);

test('blocks are bars over the rows, one inside the other; each opens with its text and rows', async () => {
  const path = await pathOf('dcp', await sessionWithBlocks(stage.world));
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}${path}`);
  const map = page.getByRole('group', { name: 'Drawing of the blocks' });
  await map.waitFor();

  expect(await map.getAttribute('aria-label')).toBe(
    'Drawing of the blocks: 3 blocks over 7 rows, of which 5 are hidden.',
  );
  const inner = map.getByRole('button', { name: /^b1 / });
  const outer = map.getByRole('button', { name: /^b2 / });
  expect(await outer.getAttribute('aria-label')).toBe(
    'b2 choice of ports: rows 1 to 3, shown to the model, took in b1',
  );
  const [innerBox, outerBox] = [(await inner.boundingBox())!, (await outer.boundingBox())!];
  expect(outerBox.y).toBeLessThan(innerBox.y);
  expect(outerBox.width).toBeGreaterThan(innerBox.width);
  await inner.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const below = page.getByRole('group', { name: 'Opened in the drawing' });
  await below.getByText('3 rows underneath').click();
  await below.locator('.row', { hasText: 'three' }).waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);

test('an attempt opens the summaries it wrote and the rows they stand for', async () => {
  const path = await pathOf('lcm', await sessionWithGraph(stage.world));
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}${path}`);

  const oldest = page.getByRole('region', { name: 'Compactions' }).locator('.attempt').last();
  await oldest.getByText('1 summary it wrote').click();
  await oldest.getByText('leaf 0', { exact: true }).waitFor();
  await oldest.getByText('2 messages underneath').click();
  await oldest.locator('.row', { hasText: 'line 2' }).waitFor();
  await oldest.getByText(/^2 rows it replaced: seq \d/).click();
  const replaced = oldest.locator('details', { hasText: 'it replaced' });
  await replaced.locator('.row', { hasText: 'line 1' }).waitFor();
  expect(await replaced.locator('.row .text').allInnerTexts()).toEqual(['line 1', 'line 2']);
  expect(opened.complaints).toEqual([]);
}, 60_000);

test('a viewer sees the drawing and none of what was said', async () => {
  await using seen = await startStorePages(stage.world, { role: 'viewer' });
  const path = await pathOf('lcm', await sessionWithGraph(stage.world));
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${seen.url}${path}`);

  const graph = page.getByRole('group', { name: 'Drawing of the graph' });
  await graph.getByRole('button', { name: 'Leaf' }).first().click();
  await page.getByRole('group', { name: 'Opened in the drawing' }).getByText('(hidden)').first().waitFor();

  expect(await page.getByText(/line \d|leaf \d/).count()).toBe(0);
}, 60_000);

test('both drawings in both themes and widths, and nothing that axe complains of', async () => {
  const graph = await pathOf('lcm', await sessionWithGraph(stage.world));
  await lookAtPage({
    browser: stage.browser,
    url: `${stage.pages.url}${graph}`,
    picture: stage.picture('lcm'),
    at: async (page) => {
      await page.getByRole('button', { name: 'Node of depth 1' }).first().click();
      await page.getByText('left', { exact: true }).first().waitFor();
    },
  });
  const blocks = await pathOf('dcp', await sessionWithBlocks(stage.world));
  await lookAtPage({
    browser: stage.browser,
    url: `${stage.pages.url}${blocks}`,
    picture: stage.picture('dcp'),
    at: async (page) => {
      await page.getByRole('button', { name: /^b2 / }).click();
      await page
        .getByRole('group', { name: 'Opened in the drawing' })
        .getByText('3 rows underneath')
        .waitFor();
    },
  });
}, 120_000);
