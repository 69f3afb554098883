/** A migrated database of its own for each test file, cloned from a template that is made once a run. */
import { migrate } from '@palimpsest/store';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { serviceAddresses } from './test-services.ts';

/** Any constant; it keeps two test files from making the template at once. */
const templateLockKey = 7_210_424_099;

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/**
 * Clone the template for one test file; disposing drops the clone, whoever is still connected to it.
 *
 * options.migrated  false = an empty database, for tests of the migrations themselves
 */
export async function createTestDatabase(
  options: { readonly migrated?: boolean } = {},
): Promise<TestDatabase> {
  const { databaseUrl, run } = serviceAddresses();
  const name = `palimpsest_test_${run}_${randomBytes(5).toString('hex')}`;
  await withClient(databaseUrl, async (client) => {
    const template = options.migrated === false ? 'template0' : await ensureTemplate(client, run);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  return {
    url: urlOf(databaseUrl, name),
    [Symbol.asyncDispose]: () => withClient(databaseUrl, (client) => drop(client, name)),
  };
}

/** Drop what this run created and no test dropped: the template, and clones of files that crashed. */
export async function dropRunDatabases(): Promise<void> {
  const { databaseUrl, run } = serviceAddresses();
  await withClient(databaseUrl, async (client) => {
    const pattern = `palimpsest\\_test\\_${run}\\_%`;
    const found = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datname LIKE $1',
      [pattern],
    );
    for (const { datname } of found.rows) await drop(client, datname);
  });
}

async function ensureTemplate(client: pg.Client, run: string): Promise<string> {
  const template = `palimpsest_test_${run}_template`;
  await client.query('SELECT pg_advisory_lock($1)', [templateLockKey]);
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (found.rowCount === 0) await makeTemplate(client, template);
    return template;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [templateLockKey]);
  }
}

// Built under another name, so that a migration that fails never leaves half a template to clone.
async function makeTemplate(client: pg.Client, template: string): Promise<void> {
  const building = `${template}_building`;
  await drop(client, building);
  await client.query(`CREATE DATABASE ${building} TEMPLATE template0`);
  await migrate(urlOf(serviceAddresses().databaseUrl, building));
  await client.query(`ALTER DATABASE ${building} RENAME TO ${template}`);
}

async function drop(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
