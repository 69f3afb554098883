import { defineConfig } from 'vitest/config';

/** Two cores everywhere we test; tests start databases and servers of their own. */
const maxWorkers = 2;

/** Every file that opens a store imports drizzle-orm, in a process of its own. */
const execArgv = ['--import', new URL('./infra/bootstrap/quick-imports.mjs', import.meta.url).href];

/**
 * Tests with real servers and processes share two cores with whatever else a CI machine does; one that a slow moment threw
 * out is run once more there, and the report says so beside its name (`retry x1`). At a desk nothing is run twice.
 */
const retry = process.env['CI'] ? 1 : 0;

const config = defineConfig({
  test: {
    maxWorkers,
    projects: [
      {
        extends: true,
        test: {
          // Nothing here opens a database or keeps state in a module, so files may share a thread.
          name: 'unit',
          include: ['test/{unit,architecture}/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          retry,
          include: ['test/{contracts,flow,integration,regression,security}/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          pool: 'forks',
          // Each file opens a database and a world of its own; what they import is loaded once a worker, a third of their time.
          isolate: false,
          execArgv,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          // Real processes that are killed and started again, so one file after the other, at the end.
          name: 'chaos',
          retry,
          include: ['test/chaos/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          pool: 'forks',
          execArgv,
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

// vitest reads the default export only.
export default config;
