import { withClient } from './with-client.ts';

/** One statement on a connection of its own, for checkers that look past the service; its rows. */
export async function queryDatabase(
  databaseUrl: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const result = await withClient(databaseUrl, (client) =>
    client.query<Record<string, unknown>>(text, [...values]),
  );
  return result.rows;
}
