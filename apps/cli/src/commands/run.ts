import { Option, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { print } from '../print.ts';
import { runServices } from '../run-services.ts';
import type { Service } from '../service.ts';
import { readSettings } from '../settings.ts';
import { migrate } from '@palimpsest/store';
import { GatewayError } from '@palimpsest/core';

/** up, gateway, worker, dashboard, migrate. */
export function addRunCommands(program: Command, context: CliContext): void {
  const start = (services: readonly Service[]) => (options: { engine?: string; json?: boolean }) =>
    runServices(context, services, options);
  const engine = new Option(
    '--engine <name>',
    'context engine of new sessions, instead of the config',
  ).hideHelp();
  program
    .command('up', { isDefault: false })
    .description('everything in one go on one machine')
    .addOption(engine)
    .option('--json', 'the first screen as one JSON object')
    .action(start(['gateway', 'worker', 'dashboard']));
  program
    .command('gateway')
    .description('platform edge: intake and delivery; needs DATABASE_URL')
    .option('--json', 'the first screen as one JSON object')
    .action(start(['gateway']));
  program
    .command('worker')
    .description('turns, compaction and maintenance; needs DATABASE_URL')
    .option('--json', 'the first screen as one JSON object')
    .action(start(['worker']));
  program
    .command('dashboard')
    .description("operators' pages, /metrics, the local web chat; needs DATABASE_URL")
    .option('--json', 'the first screen as one JSON object')
    .action(start(['dashboard']));
  program
    .command('migrate')
    .description('bring the schema of DATABASE_URL up to date')
    .option('--json', 'one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      const { databaseUrl } = readSettings(context.env, context.folder);
      if (!databaseUrl)
        throw new GatewayError(
          'config_invalid',
          'migrate needs DATABASE_URL; the embedded database is migrated by `npm start`.',
        );
      const { applied } = await migrate(databaseUrl);
      print(json, { applied }, [`${applied} migrations applied`]);
    });
}
