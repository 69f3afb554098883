import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { GatewayError } from '@palimpsest/core';
import { backupLines, restoreBackup } from '@palimpsest/store';
import type { Command } from 'commander';
import { readCredentials } from '../../../../infra/bootstrap/postgres/cluster.ts';
import type { CliContext } from '../cli-context.ts';
import { print } from '../print.ts';
import { showProgress } from '../progress.ts';
import { readSettings } from '../settings.ts';
import { withDatabase } from '../with-database.ts';

interface Flags {
  json?: boolean;
}

/** backup FILE, restore FILE: everything in the database, from and into a given or the embedded one, whatever their versions. */
export function addBackupCommands(program: Command, context: CliContext): void {
  program
    .command('backup <file>')
    .description('everything in the database into one file (gzip), while the service goes on')
    .option('--json', 'one JSON object')
    .action((file: string, flags: Flags) => backup(context, resolve(context.folder, file), flags));
  program
    .command('restore <file>')
    .description('fill an empty database from a backup; also one of an older version, or of another Postgres')
    .option('--json', 'one JSON object')
    .action((file: string, flags: Flags) => restore(context, resolve(context.folder, file), flags));
}

/** The file is there whole or not at all. */
async function backup(context: CliContext, file: string, { json }: Flags): Promise<void> {
  if (existsSync(file))
    throw new GatewayError(
      'input_invalid',
      `${file} exists already; name another file, nothing was written.`,
    );
  refuseWithoutDatabase(context);
  const partial = `${file}.partial`;
  let rows = 0;
  await withDatabase(context, async (databaseUrl) => {
    using progress = showProgress('rows read');
    const lines = backupLines(databaseUrl, (soFar) => progress.at((rows = soFar)));
    try {
      const text = Readable.from(withEnds(lines, (count) => (rows = count)));
      await pipeline(text, createGzip(), createWriteStream(partial, { mode: 0o600 }));
    } catch (thrown) {
      rmSync(partial, { force: true });
      throw cannotWrite(file, thrown);
    }
  });
  renameSync(partial, file);
  print(json, { file, rows }, [`${rows.toLocaleString('en')} rows in ${file}`]);
}

/** In a folder without one a database would be made, only to be found empty. */
function refuseWithoutDatabase({ env, folder }: CliContext): void {
  const { databaseUrl, dataDir } = readSettings(env, folder);
  if (databaseUrl || readCredentials(dataDir)) return;
  throw new GatewayError(
    'database_unavailable',
    `there is no database in ${dataDir}; nothing was written. Run this in the folder of the service, or set PALIMPSEST_DATA or DATABASE_URL.`,
  );
}

/** What the file system says of the file; anything else as it is. */
function cannotWrite(file: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error && 'syscall' in thrown && 'path' in thrown)) return thrown;
  const code = 'code' in thrown ? String(thrown.code) : 'unknown';
  return new GatewayError(
    'input_invalid',
    `${file} cannot be written (${code}); name a file in a folder that exists and that this user may write.`,
    { cause: thrown },
  );
}

async function* withEnds(
  lines: AsyncIterable<string>,
  onEnd: (rows: number) => void,
): AsyncGenerator<string> {
  let last = '';
  for await (const line of lines) yield `${(last = line)}\n`;
  onEnd((JSON.parse(last) as { rows: number }).rows);
}

async function restore(context: CliContext, file: string, { json }: Flags): Promise<void> {
  if (!existsSync(file)) throw new GatewayError('input_invalid', `${file}: there is no such file.`);
  let rows = 0;
  await withDatabase(context, async (databaseUrl) => {
    using progress = showProgress('rows written');
    const source = createReadStream(file);
    // How many rows there are stands at the end of the file.
    const show = (soFar: number): void => progress.at(soFar, source.bytesRead / statSync(file).size);
    const done = await restoreBackup(databaseUrl, linesOf(file, source), show);
    rows = done.rows;
  });
  print(json, { file, rows }, [`${rows.toLocaleString('en')} rows restored from ${file}`]);
}

async function* linesOf(file: string, source: Readable): AsyncGenerator<string> {
  const plain = source.pipe(createGunzip());
  const failed = new Promise<never>((_, reject) => {
    source.once('error', reject);
    plain.once('error', reject);
  });
  failed.catch(() => {});
  const lines = createInterface({ input: plain, crlfDelay: Infinity });
  const iterator = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), failed]);
      if (next.done) return;
      yield next.value;
    }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError(
      'input_invalid',
      `${file} is no backup, or a broken one (${problem}). Nothing was changed.`,
      { cause },
    );
  } finally {
    lines.close();
  }
}
