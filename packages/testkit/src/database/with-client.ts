import pg from 'pg';

/** Work on a connection of its own, closed whatever happens. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  // A statement under way gets the error of a broken connection; without a listener an idle one would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
