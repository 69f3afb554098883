/** Addresses of the servers of this run: `npm test` sets them, and for a bare `npx vitest` the global set-up does. */

export interface ServiceAddresses {
  /** A Postgres in which databases may be created and dropped. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Short name of this run; everything it creates on the servers carries it. */
  readonly run: string;
}

/** throws  Error outside the projects that have servers (unit and architecture tests have none) */
export function serviceAddresses(): ServiceAddresses {
  const { PALIMPSEST_TEST_DATABASE_URL, PALIMPSEST_TEST_REDIS_URL, PALIMPSEST_TEST_RUN } = process.env;
  if (!PALIMPSEST_TEST_DATABASE_URL || !PALIMPSEST_TEST_REDIS_URL || !PALIMPSEST_TEST_RUN) {
    throw new Error(
      'no test servers here: put the test into test/contracts, flow, integration, chaos or regression, and run it with vitest',
    );
  }
  return {
    databaseUrl: PALIMPSEST_TEST_DATABASE_URL,
    redisUrl: PALIMPSEST_TEST_REDIS_URL,
    run: PALIMPSEST_TEST_RUN,
  };
}
