/** Prometheus's own checker; fetched on the way out of Debian's package where it is not installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runApt } from './apt.ts';

const folder = fileURLToPath(new URL('../../node_modules/.cache/promtool/', import.meta.url));
// Unpacked and not installed: the package would start a server.
const fetchIt = 'apt-get update && apt-get download prometheus && dpkg -x prometheus_*.deb .';

/**
 * Run `promtool …words`.
 *
 * returns  what it printed and its exit code
 * throws   with the one line to type where it is missing and cannot be fetched from here
 */
export function promtool(words: readonly string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(findPromtool(), words, { encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

function findPromtool(): string {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool';
  const fetched = `${folder}usr/bin/promtool`;
  if (existsSync(fetched)) return fetched;
  mkdirSync(folder, { recursive: true });
  try {
    runApt(fetchIt, folder);
  } catch (cause) {
    throw new Error('tests of alerts need promtool. Type: sudo apt-get install -y prometheus', { cause });
  }
  return fetched;
}
