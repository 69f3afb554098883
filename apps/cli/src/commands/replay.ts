import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { createScratchDatabase } from '@palimpsest/testkit';
import { startEmbeddedPostgres } from '../../../../infra/bootstrap/embedded-postgres.ts';
import { createLogger } from '../create-logger.ts';
import type { CliContext } from '../cli-context.ts';
import { reportLines } from '../replay/report.ts';
import { runReplay, type ReplayOptions } from '../replay/run-replay.ts';
import { readSettings } from '../settings.ts';

interface Flags extends Pick<ReplayOptions, 'platform' | 'window' | 'engine' | 'speed' | 'schemas'> {
  summariserDelay: number;
  summariserFail: number;
  json?: boolean;
}

/**
 * replay FILE: a recorded conversation through the whole service, against a strict counterpart of the platform and
 * scripted models. On a throw-away database (on the server of DATABASE_URL, else an embedded one in a temporary
 * folder), so that nothing of this installation is touched. Exit code 1 when something was lost, doubled or refused.
 */
export function addReplayCommand(program: Command, context: CliContext): void {
  program
    .command('replay <file>')
    .description('play a recorded conversation (JSON lines) through the service and report')
    .addOption(new Option('--platform <name>').choices(['telegram', 'discord', 'local']).default('local'))
    .option('--window <tokens>', "the model's window", wholeNumber, 128_000)
    .option('--engine <name>', 'context engine', 'compressor')
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
    .action((file: string, flags: Flags) => replay(context, resolve(context.folder, file), flags));
}

async function replay(context: CliContext, file: string, flags: Flags): Promise<void> {
  const settings = readSettings(context.env, context.folder);
  await using stack = new AsyncDisposableStack();
  const serverUrl = settings.databaseUrl ?? (await temporaryServer(stack));
  const database = stack.use(await createScratchDatabase(serverUrl, 'replay'));
  const report = await runReplay({
    ...flags,
    file,
    schemas: resolve(context.folder, flags.schemas),
    summariserDelayMs: flags.summariserDelay,
    summariserFailEvery: flags.summariserFail,
    databaseUrl: database.url,
    redisUrl: settings.redisUrl,
    logger: createLogger(context.env['LOG_LEVEL'] ?? 'error'),
  });
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : `${reportLines(report).join('\n')}\n`);
  const wrong =
    report.lost +
    report.duplicated +
    report.out_of_order +
    (report.missing_rows ?? 0) +
    report.violations.length;
  if (wrong > 0) process.exitCode = 1;
}

async function temporaryServer(stack: AsyncDisposableStack): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'palimpsest-replay-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, tuning: 'test' });
  stack.defer(() => server.stop());
  return server.databaseUrl;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number.`);
}
