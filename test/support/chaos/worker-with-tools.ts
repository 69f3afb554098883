/**
 * The worker with two tools of the test: `press` must not run twice, `look` may. Both ask the test's server and give
 * back what it answers, so that a test sees every run and can hold it.
 *
 * argv[2]  address of that server; `/press/<name>` and `/look/<name>` are asked
 */
import { silentMeter, type Tool } from '@palimpsest/core';
import { startWorker } from '@palimpsest/worker';
import { createLogger } from '../../../apps/cli/src/create-logger.ts';
import { openInfrastructure } from '../../../apps/cli/src/open-infrastructure.ts';
import { readSettings } from '../../../apps/cli/src/settings.ts';
import { Shutdown, whenToldToStop } from '../../../apps/cli/src/shutdown.ts';
import { createMainModel, createWorkerDeps } from '../../../apps/cli/src/start-parts.ts';

const [, , server = ''] = process.argv;
const settings = readSettings(process.env, process.cwd());
const logger = createLogger('info');
const shutdown = new Shutdown(logger);
const told = whenToldToStop(() => {});
const base = { logger, meter: silentMeter, shutdown, signal: new AbortController().signal, say: () => {} };
const parts = await openInfrastructure(settings, base);
const tools = [tool('press', false), tool('look', true)];
const worker = await startWorker(createWorkerDeps(parts, createMainModel(settings), tools));
shutdown.add('worker', () => worker.stop(10_000));
process.stdout.write('Palimpsest is running (worker with tools)\n');
await told;
await shutdown.run();

function tool(name: string, repeatable: boolean): Tool {
  const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  return {
    repeatable,
    schema: { name, description: `${name} something`, parameters },
    run: async (input, scope) => {
      const answer = await fetch(`${server}/${name}/${String(input['name'])}`, { signal: scope.signal });
      return { text: await answer.text(), isError: false };
    },
  };
}
