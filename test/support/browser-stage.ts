/** A real browser before the operators' pages over real Postgres, for tests of pages. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { openBrowser } from './chromium.ts';
import type { PagesUnderTest, PagesWish } from './dashboard.ts';
import { startStorePages } from './session-pages.ts';
import { openStoreWorld, type StoreWorld } from './store-world.ts';

export interface BrowserStage extends AsyncDisposable {
  browser: Browser;
  world: StoreWorld;
  pages: PagesUnderTest;
  /** Path of a picture for people to look at. */
  picture(name: string): string;
}

export interface StageWish {
  /** Puts into the store what the pages show from the beginning. */
  fill?(world: StoreWorld): Promise<void>;
  pages?: PagesWish;
  /** Name of the folder of pictures in test-output/. */
  pictures?: string;
}

export async function openBrowserStage(wish: StageWish = {}): Promise<BrowserStage> {
  await using opening = new AsyncDisposableStack();
  const folder = fileURLToPath(new URL(`../../test-output/${wish.pictures ?? ''}/`, import.meta.url));
  if (wish.pictures !== undefined) mkdirSync(folder, { recursive: true });
  const [browser, world] = await Promise.all([openBrowser(), openStoreWorld()]);
  opening.defer(() => browser.close());
  opening.use(world);
  await wish.fill?.(world);
  const pages = opening.use(await startStorePages(world, wish.pages));
  const opened = opening.move();
  return {
    browser,
    world,
    pages,
    picture: (name) => `${folder}${name}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
