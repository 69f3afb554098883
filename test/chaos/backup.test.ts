/** Backup and restore as an operator of one machine does it: commands on the data folder of `npm start`, beside it and without it. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answersBehind, gate } from '../support/chaos/scripts.ts';
import { botApiSchema, openChaos, type ChaosWorld } from '../support/chaos/world.ts';

const ada = 505;

/** Run a command to its end; what it printed. */
async function palimpsest(world: ChaosWorld, ...words: string[]): Promise<string> {
  const program = world.run(['apps/cli/src/main.ts', ...words]);
  const ended = await program.ended;
  expect([program.log(), ended]).toEqual(['', { code: 0, signal: null }]);
  return program.output();
}

/** The machine is a new one: its data folder is gone. */
function loseData({ folder }: ChaosWorld, as: string): void {
  renameSync(join(folder, 'data'), join(folder, as));
}

const sessionsOf = (world: ChaosWorld) => world.sql('SELECT id FROM sessions');

describe.skipIf(botApiSchema.missing)('up', { concurrent: true }, () => {
  test('a backup beside it in mid-turn, and one without it: restored into an empty folder the conversation goes on', async ({
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
    const sessions = await sessionsOf(world);
    world.says(ada, 'm2');
    await asked.reached;

    expect(await palimpsest(world, 'backup', 'one.gz')).toMatch(/^\d+ rows in .*one\.gz\n$/);
    await first.stop('SIGINT');
    asked.open();
    loseData(world, 'first');
    expect(await palimpsest(world, 'restore', 'one.gz')).toMatch(/^\d+ rows restored from .*one\.gz\n$/);
    const second = await world.start('up');
    await world.answeredOnce(ada, ['m1', 'm2']);
    expect(await sessionsOf(world)).toEqual(sessions);
    await second.stop('SIGINT');

    await palimpsest(world, 'backup', 'two.gz');
    loseData(world, 'second');
    await palimpsest(world, 'restore', 'two.gz');
    const third = await world.start('up');
    world.says(ada, 'm3');
    await world.answeredOnce(ada, ['m1', 'm2', 'm3']);
    expect(await sessionsOf(world)).toEqual(sessions);
    const said = world.model.requests.at(-1);
    expect(JSON.stringify(said)).toMatch(/answer to m1.*answer to m2.*m3/);
    await third.stop('SIGINT');
  });
});
