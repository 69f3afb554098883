/** Locks rows, so that a program comes so far and no further; it goes on unharmed afterwards. */
import pg from 'pg';

export interface HeldSessions extends AsyncDisposable {
  letGo(): Promise<void>;
}

/** Until it is let go, whoever changes a session waits. */
export async function holdSessions(databaseUrl: string): Promise<HeldSessions> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM sessions FOR NO KEY UPDATE');
  let ended: Promise<void> | undefined;
  const letGo = (): Promise<void> => (ended ??= client.end());
  return { letGo, [Symbol.asyncDispose]: letGo };
}
