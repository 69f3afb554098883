import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessProblems } from './axe.ts';
import { openPage } from './chromium.ts';

export interface Look {
  browser: Browser;
  url: string;
  /** Path of the pictures without their ending. */
  picture: string;
  /** Wait for what is to be seen, open what is folded. */
  at(page: Page): Promise<void>;
  options?: BrowserContextOptions;
}

/** Where we are, in the bar. */
const here = (page: Page) => page.locator('.bar [aria-current]');

/** The bar scrolls sideways on a phone, its last places are out of view. */
async function isInView(page: Page): Promise<boolean> {
  const { x, width } = (await here(page).boundingBox())!;
  return x >= 0 && x + width <= 390;
}

/** Both themes, both widths: a picture each, nothing wider than the phone, nothing that axe or the browser complains of. */
export async function lookAtPage({ browser, url, picture, at, options }: Look): Promise<void> {
  await using opened = await openPage(browser, { viewport: { width: 1280, height: 900 }, ...options });
  const { page } = opened;
  await page.goto(url);
  await at(page);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.screenshot({ path: `${picture}-${theme}.png`, fullPage: true });
    if (theme === 'light') expect(await accessProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    if ((await here(page).count()) > 0) await expect.poll(() => isInView(page)).toBe(true);
    await page.screenshot({ path: `${picture}-${theme}-phone.png`, fullPage: true });
  }
  expect(await accessProblems(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
}
