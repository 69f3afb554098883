import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { readSettings } from '../settings.ts';

/** config check | show: what the file says and what holds; secrets are only named. */
export function addConfigCommands(program: Command, context: CliContext): void {
  const config = program.command('config').description('the configuration');
  config
    .command('check')
    .description('read the config and say what is wrong, with file and line')
    .action(() => {
      const { configFile } = readSettings(context.env, context.folder);
      process.stdout.write(`${configFile ?? 'no config.yaml, defaults'}: fine\n`);
    });
  config
    .command('show')
    .description('every key with the value that holds (PORT wins over server.port), as JSON')
    .action(() => {
      const { config: values } = readSettings(context.env, context.folder);
      process.stdout.write(`${JSON.stringify(values, null, 2)}\n`);
    });
}
