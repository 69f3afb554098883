/** Everything in one go on one data folder, as `npm start` runs it. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runningPostmaster } from '../../infra/bootstrap/postgres/postmaster.ts';
import { answers, answersBehind, gate } from '../support/chaos/scripts.ts';
import { botApiSchema, openChaos, until, type ChaosWorld } from '../support/chaos/world.ts';

const ada = 504;

describe.skipIf(botApiSchema.missing)('up', { concurrent: true }, () => {
  test('started twice on one data folder: the second says so and ends, the first goes on', async ({
    onTestFailed,
  }) => {
    await using world = await openChaos({ onTestFailed, queue: 'postgres', databaseUrl: 'embedded' });
    const first = await world.start('up');

    const second = world.run(['apps/cli/src/main.ts', 'up']);
    const ended = await second.ended;
    world.says(ada, 'm1');
    await world.answeredOnce(ada, ['m1']);
    await first.stop('SIGINT');

    expect(ended).toEqual({ code: 1, signal: null });
    expect(second.log()).toContain('in use');
    expect(second.log()).toContain(String(first.pid));
    expect(second.log()).not.toContain('    at ');
  });

  test('Ctrl-C in mid-turn leaves no process behind; the next start ends the turn in the same session', async ({
    onTestFailed,
  }) => {
    const asked = gate();
    await using world = await openChaos({
      onTestFailed,
      queue: 'postgres',
      databaseUrl: 'embedded',
      script: answersBehind(asked, 'm2'),
    });
    const first = await world.start('up');
    world.says(ada, 'm1');
    await world.answeredOnce(ada, ['m1']);
    world.says(ada, 'm2');
    await asked.reached;
    const cluster = { clusterDir: join(world.folder, 'data', 'postgres') };
    expect(runningPostmaster(cluster)).toBeDefined();
    const before = await turnIds(world);

    const ended = await first.stop('SIGINT');
    asked.open();
    expect(ended).toEqual({ code: 0, signal: null });
    expect(runningPostmaster(cluster)).toBeUndefined();
    const second = await world.start('up');
    world.says(ada, 'm3');
    await world.answeredOnce(ada, ['m1', 'm2', 'm3']);

    expect((await turnIds(world)).slice(0, 2)).toEqual(before);
    expect(await world.sql('SELECT count(*)::int AS sessions FROM sessions')).toEqual([{ sessions: 1 }]);
    await second.stop('SIGINT');
  });

  test('killed in mid-turn: the next start takes the database over and ends the turn', async ({
    onTestFailed,
  }) => {
    const asked = gate();
    await using world = await openChaos({
      onTestFailed,
      queue: 'postgres',
      databaseUrl: 'embedded',
      script: async (request) => {
        await asked.pass();
        return answers(request);
      },
    });
    const first = await world.start('up');
    world.says(ada, 'm1');
    await asked.reached;
    const before = await turnIds(world);

    await first.kill();
    asked.open();
    const second = world.start('up');
    await until(() => world.endLeases());
    await second;

    await world.answeredOnce(ada, ['m1']);
    expect(await turnIds(world)).toEqual(before);
    await (await second).stop('SIGINT');
  });
});

async function turnIds(world: ChaosWorld): Promise<unknown[]> {
  const rows = await world.sql('SELECT id FROM turns ORDER BY started_at');
  return rows.map((row) => row.id);
}
