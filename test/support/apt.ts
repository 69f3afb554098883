/** Debian's packages on the way, for tests that need a program which is not there. */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Run a line of shell with apt-get in it. Test files run beside each other and apt refuses a second one of itself, so they
 * go one after the other; begin the line with a look whether it has become needless meanwhile.
 *
 * throws  what execFileSync throws, when it did not work
 */
export function runApt(line: string, cwd?: string): void {
  execFileSync('flock', [join(tmpdir(), 'palimpsest-test-apt.lock'), 'sh', '-c', line], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    ...(cwd === undefined ? {} : { cwd }),
  });
}
