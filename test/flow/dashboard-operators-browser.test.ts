/** The operators' pages in a browser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { openBrowser, openPage } from '../support/chromium.ts';
import { startPages } from '../support/dashboard.ts';
import { ledgerRow, overview } from '../support/dashboard-world.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 180_000);

afterAll(() => browser?.close());

test('operators see sessions, compactions and the turned away, and new ones without a reload', async () => {
  await using pages = await startPages();
  pages.world.sessions = [overview({ chatTitle: 'Ann', lastPromptTokens: 6_800 })];
  pages.world.denied = [
    {
      platform: 'telegram',
      senderId: '12345',
      chatId: '12345',
      reason: 'not_allowlisted',
      times: 1,
      lastAt: new Date(),
    },
  ];
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(pages.url);
  await page.getByRole('link', { name: 'Ann' }).waitFor();
  expect(await page.getByRole('meter').getAttribute('aria-valuetext')).toBe('85 % · 6,800 of 8,000 tokens');
  await page.getByText('npm run -s palimpsest -- access allow telegram 12345').waitFor();
  await page.getByText('No compaction yet.').waitFor();

  pages.world.ledger = [ledgerRow()];
  pages.world.tell({ kind: 'compaction', sessionId: 's' });

  await page.getByText('6,900 → 2,100').waitFor();
  expect(opened.complaints).toEqual([]);
});

test('operators tell sessions apart, ended ones and local chats too, and a new chapter from a compaction', async () => {
  await using pages = await startPages();
  pages.world.figures = { ...pages.world.figures, sessions: 1 };
  pages.world.sessions = [
    overview({ id: 'session-1', platform: 'local', chatId: 'kitchen', chatTitle: null }),
    overview({ id: 'session-0', chatTitle: 'Ann', endedAt: new Date() }),
  ];
  const { figures } = ledgerRow();
  pages.world.ledger = [
    ledgerRow({
      layer: 'manual',
      trigger: 'manual',
      figures: { ...figures!, rowsAfter: 0, rowsArchived: 120, summaryTokens: 0 },
    }),
  ];
  await using opened = await openPage(browser);
  const { page } = opened;

  await page.goto(pages.url);
  await page.getByRole('link', { name: 'Local chat kitchen' }).waitFor();

  const [local, ended] = await page
    .getByLabel('List of sessions')
    .getByRole('row')
    .filter({ hasText: 'session-' })
    .all();
  expect(await local!.innerText()).not.toContain('ended');
  expect(await ended!.innerText()).toMatch(/Ann\s+ended[^]*session-0/);
  expect(await page.getByText('1open session').count()).toBe(1);
  const chapter = page.getByRole('row').filter({ hasText: 'new chapter' });
  expect(await chapter.innerText()).toContain('120 rows set aside');
  expect(await chapter.innerText()).not.toContain('% left');
  expect(opened.complaints).toEqual([]);
});

test('an open overview finds its way back after a restart, and goes to the sign-in where that is asked for', async () => {
  const pages = await startPages();
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(pages.url);
  await page.getByText('No compaction yet.').waitFor();

  await pages.close();
  await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
  pages.world.ledger = [ledgerRow()];
  const again = await startPages({ world: pages.world, port: pages.port });
  await page.getByText('6,900 → 2,100').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await again.close();
  await using guarded = await startPages({ world: pages.world, port: pages.port, password: 'right horse' });

  await page.waitForURL(`${guarded.url}/sign-in?next=%2F`);
  await page.getByLabel('Password').waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);
