import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { GatewayError } from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import { createScratchDatabase } from '@palimpsest/testkit';
import { startEmbeddedPostgres } from '../../../../infra/bootstrap/embedded-postgres.ts';
import type { CliContext } from '../cli-context.ts';
import { createLogger } from '../create-logger.ts';
import { readSettings } from '../settings.ts';
import { readRecording } from './recording.ts';
import { reportLines } from './report.ts';
import { runReplay, type ReplayOptions } from './run-replay.ts';

/** As the command line gives them. */
export interface ReplayFlags extends Pick<
  ReplayOptions,
  'platform' | 'window' | 'engine' | 'nudges' | 'speed' | 'schemas'
> {
  summariserDelay: number;
  summariserFail: number;
  json?: boolean;
}

/** Play the recording and print the report; exit code 1 when something was lost, doubled or refused. */
export async function replayFile(context: CliContext, file: string, flags: ReplayFlags): Promise<void> {
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

function findSchemas(folder: string, platform: ReplayFlags['platform']): string {
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
