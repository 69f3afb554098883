import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { engineNames } from '../installed-engines.ts';
import type { ReplayFlags } from '../replay/replay-file.ts';

/**
 * replay FILE: a recorded conversation through the whole service, against a strict counterpart of the platform and
 * scripted models. On a throw-away database (on the server of DATABASE_URL, else an embedded one in a temporary
 * folder), so that nothing of this installation is touched. Exit code 1 when something was lost, doubled or refused.
 */
export function addReplayCommand(program: Command, context: CliContext): void {
  program
    .command('replay <file>')
    .description('play a recorded conversation (JSON lines) through the service and report')
    .addOption(
      new Option('--platform <name>', 'whose counterpart plays the other side')
        .choices(['telegram', 'discord', 'local'])
        .default('local'),
    )
    .option('--window <tokens>', "the model's window, at least 1000", windowTokens, 128_000)
    .addOption(new Option('--engine <name>', 'context engine').choices(engineNames()).default('compressor'))
    .addOption(
      new Option('--nudges <how>', 'what the model does when the engine dcp asks it to compress')
        .choices(['follow', 'ignore'])
        .default('follow'),
    )
    .addOption(
      new Option(
        '--speed <speed>',
        'max: no waits and no rate limits; burst: never waits for an answer either',
      )
        .choices(['normal', 'max', 'burst'])
        .default('normal'),
    )
    .option('--summariser-delay <ms>', 'the summariser takes this long', wholeNumber, 0)
    .option('--summariser-fail <n>', 'every n-th summary request fails', wholeNumber, 0)
    .option('--schemas <folder>', "folder with the platforms' schema files", '../shared')
    .option('--json', 'the report as one JSON object')
    .action(async (file: string, flags: ReplayFlags) => {
      // With it come the counterparts of all platforms, which no other command needs.
      const { replayFile } = await import('../replay/replay-file.ts');
      await replayFile(context, resolve(context.folder, file), flags);
    });
}

/** As model.context_length. */
const smallestWindow = 1_000;

function windowTokens(text: string): number {
  const tokens = wholeNumber(text);
  if (tokens >= smallestWindow) return tokens;
  throw new InvalidArgumentError(`At least ${smallestWindow} is needed.`);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number.`);
}
