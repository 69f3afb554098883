/** Debian's chromium for tests of pages; installed on the way where this user may. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { runApt } from './apt.ts';

const path = '/usr/bin/chromium';
const install = 'apt-get update && apt-get install -y chromium';

/** throws with the one line to type where chromium is missing and cannot be installed from here */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(path)) installChromium();
  return chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

function installChromium(): void {
  const missing = new Error(
    `${path} is missing and tests of pages need it. Type: ${process.getuid?.() === 0 ? '' : 'sudo '}sh -c '${install}'`,
  );
  if (process.getuid?.() !== 0) throw missing;
  try {
    runApt(`test -x ${path} || { ${install}; }`);
  } catch (cause) {
    missing.cause = cause;
    throw missing;
  }
}

export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** What the browser complained about: errors of scripts, refused by the policy. */
  complaints: string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused request is logged by the browser itself; tests of failures make them on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  // The pages work without internet: whatever they need is ours.
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1' && hostname !== 'localhost')
      complaints.push(`asked ${hostname} for something`);
  });
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
