import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openPage } from '../support/chromium.ts';
import { startPages } from '../support/dashboard.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 180_000);

afterAll(() => browser?.close());

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

/** Bubbles as they stand on the page, without the speaker that only a screen reader hears. */
function bubbles(page: Page): Promise<string[]> {
  return page.locator('.bubble').evaluateAll((found) =>
    found.map((bubble) =>
      [...bubble.childNodes]
        .filter((node) => !(node as Element).classList?.contains('unseen'))
        .map((node) => node.textContent)
        .join(''),
    ),
  );
}

test('a person types, sees the answer being written, sees it whole, and still has it after a reload', async () => {
  await using pages = await startPages();
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/chat`);
  await page.getByText('Nothing written here yet').waitFor();

  await write(page, 'hello');
  await expect.poll(() => pages.world.submitted.map((message) => message.text)).toEqual(['hello']);
  pages.world.claim();
  pages.world.write('turn-1', 'Good d');
  await page.locator('.writing').getByText('Good d', { exact: true }).waitFor();
  pages.world.write('turn-1', 'Good day to');
  await page.locator('.writing').getByText('Good day to', { exact: true }).waitFor();
  pages.world.finish('Good day to you!');
  await page.getByRole('log').getByText('Good day to you!').waitFor();
  await expect.poll(() => bubbles(page)).toEqual(['hello', 'Good day to you!']);

  await page.reload();
  await page.getByRole('log').getByText('Good day to you!').waitFor();
  expect(await bubbles(page)).toEqual(['hello', 'Good day to you!']);
  expect(opened.complaints).toEqual([]);
});

test('what is written while the database is away survives a reload and is sent in order when it is back', async () => {
  await using pages = await startPages();
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/chat`);
  await page.getByText('Nothing written here yet').waitFor();

  pages.world.away = true;
  await write(page, 'first');
  await write(page, 'second');
  await page.getByText('not sent yet, trying again').first().waitFor();
  await page.reload();
  await page.getByText('What you write is kept here').waitFor();
  expect(await bubbles(page)).toEqual(['first', 'second']);
  pages.world.away = false;

  await expect
    .poll(() => pages.world.submitted.map((message) => message.text), { timeout: 10_000 })
    .toEqual(['first', 'second']);
  await expect.poll(() => page.getByText('not sent yet').count()).toBe(0);
});

test('a message that was accepted but not yet claimed is still there after a reload', async () => {
  await using pages = await startPages();
  await using opened = await openPage(browser);
  await opened.page.goto(`${pages.url}/chat`);
  await write(opened.page, 'patience');
  await expect.poll(() => pages.world.submitted.length).toBe(1);

  await opened.page.reload();

  await opened.page.getByText('patience').waitFor();
  await opened.page.locator('.writing').getByText('thinking').waitFor();
  expect(pages.world.submitted).toHaveLength(1);
});

test('a refused message says why and can be taken away', async () => {
  await using pages = await startPages({
    deps: {
      listener: { submit: async () => ({ updateKey: 'k', result: 'denied', reason: 'denied_by_operator' }) },
    },
  });
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/chat`);

  await write(page, 'let me in');
  await page.getByText('not sent: An operator has closed this chat').waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();

  await page.getByText('Nothing written here yet').waitFor();
});

test('two tabs and another browser stay in step', async () => {
  await using pages = await startPages();
  await using here = await openPage(browser);
  await using elsewhere = await openPage(browser);
  const second = await here.page.context().newPage();
  for (const page of [here.page, second, elsewhere.page]) await page.goto(`${pages.url}/chat`);
  for (const page of [here.page, second, elsewhere.page])
    await page.getByText('Nothing written here yet').waitFor();

  await write(here.page, 'from the first tab');
  await second.getByText('from the first tab').waitFor();
  pages.world.claim();
  pages.world.finish('seen by all');

  for (const page of [here.page, second, elsewhere.page]) {
    await page.getByRole('log').getByText('seen by all').waitFor();
    await expect.poll(() => bubbles(page)).toEqual(['from the first tab', 'seen by all']);
  }
});

test('the last own message can be edited, with the keyboard too', async () => {
  await using pages = await startPages();
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/chat`);
  await write(page, 'helo');
  await expect.poll(() => pages.world.submitted.length).toBe(1);
  await page.getByRole('button', { name: 'Edit' }).waitFor();

  await page.keyboard.press('ArrowUp');
  await page.getByText('Editing your last message').waitFor();
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('helo');
  await write(page, 'hello');

  await page.getByText('edited; the bot reads the change with your next message').waitFor();
  const [first, edit] = pages.world.submitted;
  expect(edit).toMatchObject({ text: 'hello', edits: first?.messageId });
  await expect.poll(async () => (await bubbles(page))[0]).toBe('hello');
});

test('a notice looks different from an answer, and a command stays where it was typed', async () => {
  await using pages = await startPages();
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/chat`);
  await page.getByText('Nothing written here yet').waitFor();

  await write(page, '/status');
  await expect.poll(() => pages.world.submitted.length).toBe(1);
  pages.world.notice('ℹ️ Context: 3 % of 8,000 tokens');

  await page.locator('.line.notice').getByText('Context: 3 % of 8,000 tokens').waitFor();
  expect(await bubbles(page)).toEqual(['/status', 'Context: 3 % of 8,000 tokens']);
});

test('what people and models write stays text', async () => {
  await using pages = await startPages();
  await using opened = await openPage(browser);
  const { page } = opened;
  const hostile =
    '<img src=x onerror="document.title=1"> **bold** `code` https://example.org/a_b. javascript:alert(1)';
  await page.goto(`${pages.url}/chat`);
  await write(page, hostile);
  await expect.poll(() => pages.world.submitted.length).toBe(1);
  pages.world.claim();
  pages.world.finish(hostile);
  await page.locator('.answer:not(.writing) strong').waitFor();

  expect(await page.locator('.bubble img').count()).toBe(0);
  expect(
    await page.locator('.bubble a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual(['https://example.org/a_b']);
  expect(await bubbles(page)).toEqual([hostile, hostile.replaceAll('**', '').replaceAll('`', '')]);
  expect(opened.complaints).toEqual([]);
});

test('an open page finds its way back after a restart and shows what it missed', async () => {
  const first = await startPages();
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${first.url}/chat`);
  await page.getByText('Nothing written here yet').waitFor();

  await first.close();
  first.world.finish('said while you were away');
  await using _second = await startPages({ world: first.world, port: first.port });

  await page.getByText('said while you were away').waitFor({ timeout: 15_000 });
});

test('behind a password the chat works after signing in', async () => {
  await using pages = await startPages({ password: 'open sesame 1' });
  await using opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${pages.url}/chat`);
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('That is not the password.').waitFor();

  await page.getByLabel('Password').fill('open sesame 1');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing written here yet').waitFor();
  await write(page, 'hello');

  await expect.poll(() => pages.world.submitted.length).toBe(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Password').waitFor();
});
