/** Programs of ours as processes of their own, with what every start needs. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch as launchProgram, type Launch, type Program } from '../../../apps/evals/src/chaos/program.ts';

export { untilRunning, type Ended, type Program } from '../../../apps/evals/src/chaos/program.ts';

/** Start a program; of this process's environment it has only the path. */
export function launch({ env, ...wish }: Launch): Program {
  // Dozens of starts of the same files: the second one takes half as long with a cache.
  const cache = { NODE_COMPILE_CACHE: join(tmpdir(), 'palimpsest-compile-cache') };
  return launchProgram({ ...wish, env: { PATH: process.env.PATH ?? '', ...cache, ...env } });
}

/** What /readyz says; a program that does not answer is not ready. */
export async function isReady(program: Program): Promise<boolean> {
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(program.output()) ?? [];
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  return answer?.ok ?? false;
}
