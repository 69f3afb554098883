import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { GatewayError } from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import { createScratchDatabase } from '@palimpsest/testkit';
import { startEmbeddedPostgres } from '../../../../infra/bootstrap/embedded-postgres.ts';
import { createLogger } from '../create-logger.ts';
import type { CliContext } from '../cli-context.ts';
import { readRecording } from '../replay/recording.ts';
import { reportLines } from '../replay/report.ts';
import { runReplay, type ReplayOptions } from '../replay/run-replay.ts';
import { engineNames } from '../installed-engines.ts';
import { readSettings } from '../settings.ts';

interface Flags extends Pick<
  ReplayOptions,
  'platform' | 'window' | 'engine' | 'nudges' | 'speed' | 'schemas'
> {
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
    .action((file: string, flags: Flags) => replay(context, resolve(context.folder, file), flags));
}

async function replay(context: CliContext, file: string, flags: Flags): Promise<void> {
  const settings = readSettings(context.env, context.folder);
  readRecording(file);
  const schemas = findSchemas(resolve(context.folder, flags.schemas), flags.platform);
  await using stack = new AsyncDisposableStack();
  const serverUrl = settings.databaseUrl ?? (await temporaryServer(stack));
  await knock(serverUrl);
  const database = stack.use(await createScratchDatabase(serverUrl, 'replay'));
  const report = await runReplay({
    ...flags,
    file,
    schemas,
    summariserDelayMs: flags.summariserDelay,
    summariserFailEvery: flags.summariserFail,
    databaseUrl: database.url,
    redisUrl: settings.redisUrl,
    logger: createLogger(context.env['LOG_LEVEL'] ? settings.logLevel : 'error'),
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

/** Files that the counterparts check our requests against. */
const schemaFiles = { telegram: 'telegram/bot-api.json', discord: 'discord/openapi.json', local: null };

function findSchemas(folder: string, platform: Flags['platform']): string {
  const file = schemaFiles[platform];
  if (file === null || existsSync(join(folder, file))) return folder;
  throw new GatewayError(
    'input_invalid',
    `${join(folder, file)} is missing; the counterpart of ${platform} checks our requests against it. Name its folder with --schemas, or use --platform local.`,
  );
}

/** A database that cannot be reached is told as such, before anything is created there. */
async function knock(databaseUrl: string): Promise<void> {
  const store = await openStore({ databaseUrl, logger: createLogger('silent'), poolSize: 1 });
  await store.close();
}

async function temporaryServer(stack: AsyncDisposableStack): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'palimpsest-replay-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, tuning: 'test' });
  stack.defer(() => server.stop());
  return server.databaseUrl;
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
