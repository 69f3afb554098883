import { exampleConfig } from '@palimpsest/core';
import type { Command } from 'commander';
import { changeConfigFile } from '../change-config-file.ts';
import type { CliContext } from '../cli-context.ts';
import { configPathOf, readSettings } from '../settings.ts';

/** config check | show | example | set: what the file says, what holds, and one value changed; secrets are only named. */
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
  config
    .command('example')
    .description('every key with its default and what it means, as YAML')
    .action(() => void process.stdout.write(exampleConfig()));
  config
    .command('set <key> <value>')
    .description(
      'change one value, as YAML; comments and order of the file stay, and a value that is not accepted changes nothing',
    )
    .action((key: string, value: string) => {
      const path = configPathOf(context.env, context.folder);
      changeConfigFile(path, { key, value });
      process.stdout.write(`${path}: ${key} is ${value} from the next start on\n`);
    });
}
