import { exampleConfig } from '@palimpsest/core';
import type { Command } from 'commander';
import { changeConfigFile } from '../change-config-file.ts';
import type { CliContext } from '../cli-context.ts';
import { print } from '../print.ts';
import { configPathOf, readSettings } from '../settings.ts';

interface Flags {
  json?: boolean;
}

const json = ['--json', 'one JSON object'] as const;

/** config check | show | example | set: what the file says, what holds, and one value changed; secrets are only named. */
export function addConfigCommands(program: Command, context: CliContext): void {
  const config = program.command('config').description('the configuration');
  config
    .command('check')
    .description('read the config and say what is wrong, with file and line')
    .option(...json)
    .action((flags: Flags) => {
      const { configFile: file } = readSettings(context.env, context.folder);
      print(flags.json, { file, fine: true }, [`${file ?? 'no config.yaml, defaults'}: fine`]);
    });
  config
    .command('show')
    .description('every key with the value that holds (PORT wins over server.port), as JSON')
    .option(...json)
    .action((flags: Flags) => {
      const { config: values } = readSettings(context.env, context.folder);
      print(flags.json, values, [JSON.stringify(values, null, 2)]);
    });
  config
    .command('example')
    .description('every key with its default and what it means, as YAML')
    .option(...json)
    .action((flags: Flags) => print(flags.json, { yaml: exampleConfig() }, [exampleConfig().trimEnd()]));
  config
    .command('set <key> <value>')
    .description(
      'change one value, as YAML; comments and order of the file stay, and a value that is not accepted changes nothing',
    )
    .option(...json)
    .action((key: string, value: string, flags: Flags) => {
      const file = configPathOf(context.env, context.folder);
      changeConfigFile(file, { key, value });
      print(flags.json, { file, key, value }, [`${file}: ${key} is ${value} from the next start on`]);
    });
}
