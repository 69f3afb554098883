/** Thread of `LivePages`. */
import { parentPort, workerData } from 'node:worker_threads';
import { LivePage } from './live-page.ts';
import type { PagesWord } from './live-pages.ts';

const { url, pages: count } = workerData as { url: string; pages: number };
const pages = Array.from({ length: count }, () => new LivePage(url));
const say = (word: PagesWord): void => parentPort?.postMessage(word, []);

parentPort?.on('message', () => say({ kind: 'gaps', gapsMs: pages.flatMap((page) => page.gapsMs) }));
await Promise.all(pages.map((page) => page.open()));
say({ kind: 'open' });
