import { randomBytes } from 'node:crypto';
import { withClient } from './with-client.ts';

export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string;
}

/** An empty database of its own on the server of `serverUrl`; disposing drops it, whoever is still connected. */
export async function createScratchDatabase(serverUrl: string, purpose: string): Promise<ScratchDatabase> {
  const name = `palimpsest_${purpose}_${randomBytes(5).toString('hex')}`;
  // template0 and C.UTF-8, so that the words of every language are found whatever the server's own locale is.
  await statement(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => statement(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function statement(serverUrl: string, sql: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(sql));
}
