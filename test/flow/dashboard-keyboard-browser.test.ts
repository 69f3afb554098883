/** Every page by keyboard alone: what can be acted on is reached by Tab and seen there, what opens closes again. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillDay, troubledReply } from '../support/board-figures.ts';
import { openBrowserStage, type BrowserStage } from '../support/browser-stage.ts';
import { openPage } from '../support/chromium.ts';
import { sessionWithBlocks, sessionWithGraph } from '../support/engine-sessions.ts';
import type { StoreWorld } from '../support/store-world.ts';

let graphId: string;
let blocksId: string;
let stage: BrowserStage;

beforeAll(async () => {
  stage = await openBrowserStage({ fill });
}, 180_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

async function fill(world: StoreWorld): Promise<void> {
  const graph = await sessionWithGraph(world);
  graphId = graph.sessionId;
  blocksId = (await sessionWithBlocks(world)).sessionId;
  await world.query(`UPDATE sessions SET engine = 'lcm', ineffective_streak = 2 WHERE id = $1`, [graphId]);
  await world.query(`UPDATE sessions SET engine = 'dcp' WHERE id = $1`, [blocksId]);
  await fillDay(world, graph);
  await troubledReply(world, graph, { state: 'dead' });
}

/** Number everything that can be acted on, as it stands now. returns name by number */
function numberAll(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = 'a[href], button, input, select, textarea, summary, [role="button"], [tabindex="0"]';
    const seen = [...document.querySelectorAll<HTMLElement>(all)].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        !(element as HTMLButtonElement).disabled &&
        // A drawing is one stop; inside it arrows walk.
        element.getAttribute('tabindex') !== '-1',
    );
    seen.forEach((element, index) => element.setAttribute('data-number', String(index)));
    return seen.map((element) => element.getAttribute('aria-label') ?? element.textContent.trim());
  });
}

interface Stop {
  number: string | null;
  isSeen: boolean;
}

/** What has the focus; seen: in the window, with a line around it. */
function stopOf(page: Page): Promise<Stop> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const drawn = element.querySelector('rect');
    // A field without a frame has that of its form.
    const framed = element.tagName === 'TEXTAREA' ? element.closest('form')! : element;
    const { outlineStyle, outlineWidth } = getComputedStyle(framed);
    const box = element.getBoundingClientRect();
    const isLined = drawn
      ? getComputedStyle(drawn).strokeWidth === '3.5px'
      : outlineStyle !== 'none' && outlineWidth !== '0px';
    const isInside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return { number: element.getAttribute('data-number'), isSeen: isLined && isInside };
  });
}

/** Press Tab from the top until the page is left. returns what was never reached, and what was reached unseen */
async function walk(page: Page): Promise<{ stops: number; missed: string[]; unseen: string[] }> {
  const names = await numberAll(page);
  const reached = new Map<string, boolean>();
  for (let presses = 0; presses < names.length + 5; presses++) {
    await page.keyboard.press('Tab');
    const { number, isSeen } = await stopOf(page);
    if (number !== null) reached.set(number, isSeen);
  }
  const nameOf = (number: string): string => names[Number(number)]!;
  return {
    stops: reached.size,
    missed: names.filter((_, index) => !reached.has(String(index))),
    unseen: [...reached].flatMap(([number, isSeen]) => (isSeen ? [] : [nameOf(number)])),
  };
}

const places: { name: string; path: () => string; ready: (page: Page) => Promise<void>; least: number }[] = [
  {
    name: 'overview',
    path: () => '/',
    ready: (page) => page.getByRole('list', { name: 'Now' }).waitFor(),
    least: 9,
  },
  {
    name: 'sessions',
    path: () => '/sessions',
    ready: (page) => page.getByRole('row').nth(2).waitFor(),
    least: 11,
  },
  {
    name: 'a session with a graph',
    path: () => `/sessions/${graphId}`,
    ready: (page) => page.getByRole('group', { name: 'Drawing of the graph' }).waitFor(),
    least: 20,
  },
  {
    name: 'a session with blocks',
    path: () => `/sessions/${blocksId}`,
    ready: (page) => page.getByRole('group', { name: 'Drawing of the blocks' }).waitFor(),
    least: 20,
  },
  {
    name: 'compaction',
    path: () => '/compaction',
    ready: (page) =>
      page
        .getByRole('button', { name: /^Reset/ })
        .first()
        .waitFor(),
    least: 12,
  },
  {
    name: 'deliveries',
    path: () => '/deliveries',
    ready: (page) => page.getByRole('button', { name: 'Send again' }).waitFor(),
    least: 12,
  },
  {
    name: 'events',
    path: () => '/events',
    ready: (page) => page.getByRole('combobox').first().waitFor(),
    least: 9,
  },
  {
    name: 'queues',
    path: () => '/queues',
    ready: (page) => page.getByRole('link', { name: 'Look into the jobs' }).waitFor(),
    least: 9,
  },
  {
    name: 'chat',
    path: () => '/chat',
    ready: (page) => page.getByText('Nothing written here yet').waitFor(),
    least: 9,
  },
];

test.each(places)(
  '$name: Tab reaches all that can be acted on, and the focus is seen',
  async ({ path, ready, least }) => {
    await using opened = await openPage(stage.browser, { viewport: { width: 1280, height: 900 } });
    const { page } = opened;
    await page.goto(`${stage.pages.url}${path()}`);
    await ready(page);
    // Lists are filled after the frame of the page.
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});

    const { stops, missed, unseen } = await walk(page);

    expect({ missed, unseen }).toEqual({ missed: [], unseen: [] });
    expect(stops).toBeGreaterThanOrEqual(least);
    expect(opened.complaints).toEqual([]);
  },
  120_000,
);

test('what cannot be taken back asks first: the focus is in the question, Escape goes back to the button', async () => {
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}/deliveries`);
  const drop = page.getByRole('button', { name: 'Drop', exact: true }).first();
  await drop.focus();
  await page.keyboard.press('Enter');

  const question = page.getByRole('group', { name: 'Drop' });
  await question.waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent.trim());
  expect(await focused()).toBe('Drop it: nobody will send it');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('No');
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('Drop');
  await page.keyboard.press('Enter');
  await question.waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('Drop');
}, 60_000);

test('the first stop skips the navigation, and a fold opens and closes by Enter', async () => {
  await using opened = await openPage(stage.browser);
  const { page } = opened;
  await page.goto(`${stage.pages.url}/sessions/${graphId}`);
  await page.getByText('Engine, model, rests, lease, export, erase').waitFor();

  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('app');

  const fold = page.getByText('Engine, model, rests, lease, export, erase');
  await fold.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Reset breaker and cooldown' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Reset breaker and cooldown' }).waitFor({ state: 'hidden' });
}, 60_000);
