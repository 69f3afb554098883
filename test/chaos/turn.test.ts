/** Crashes of the worker inside a turn: claimed, model running, tools running, about to finish. */
import { describe, expect, test } from 'vitest';
import type { ModelScript } from '@palimpsest/testkit';
import { holdSessions } from '../support/chaos/hold-sessions.ts';
import { answerText, gate, roundsOf, searchThenAnswer, slowFirstAnswer } from '../support/chaos/scripts.ts';
import { startToolServer } from '../support/chaos/tool-server.ts';
import { isReady, untilRunning, type Program } from '../support/chaos/program.ts';
import {
  botApiSchema,
  noViolations,
  openChaos,
  until,
  type ChaosWorld,
  type QueueKind,
} from '../support/chaos/world.ts';

const ada = 502;

describe.skipIf(botApiSchema.missing)('a crash of the worker', { concurrent: true }, () => {
  test('claimed, nothing begun: the next one begins the turn', async ({ onTestFailed }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    await using held = await world.hold({ table: 'turns', event: 'INSERT' });
    world.says(ada, 'm1', 'm2');
    await held.reached();

    await worker.kill();
    await held.release();
    expect(await turnsOf(world)).toEqual([]);
    await world.start('worker');

    await world.answeredOnce(ada, ['m1', 'm2']);
    for (const turn of await turnsOf(world)) expect(turn).toMatchObject({ state: 'answered', attempt: 1 });
  });

  test.for(['redis', 'postgres'] as const)(
    'model running (%s): the stored round stays, the same turn goes on',
    async (queue, { onTestFailed }) => {
      const asked = gate();
      await using world = await openChaos({ onTestFailed, queue, script: searchThenAnswer(asked) });
      const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
      world.says(ada, 'm1');
      await asked.reached;
      const [before] = await turnsOf(world);

      await worker.kill();
      asked.open();
      await world.start('worker');

      await world.answeredOnce(ada, ['m1']);
      expect(await turnsOf(world)).toEqual([{ id: before?.id, state: 'answered', attempt: 2, last_step: 2 }]);
      expect(await rowsOf(world)).toEqual(['person 0', 'assistant 1', 'tool 1', 'assistant 2']);
    },
  );

  test('J2 what comes before a worker is back waits until the turn that was begun has ended', async ({
    onTestFailed,
  }) => {
    const asked = gate();
    await using world = await openChaos({ onTestFailed, queue: 'postgres', script: slowFirstAnswer(asked) });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    world.says(ada, 'm1');
    await asked.reached;

    await worker.kill();
    asked.open();
    world.says(ada, 'm2', 'm3');
    await until(async () =>
      expect(await world.sql('SELECT count(*)::int AS waiting FROM mailbox')).toEqual([{ waiting: 3 }]),
    );
    await world.start('worker');
    await until(() => expect(world.heard(ada).join()).toContain('m3'));
    await world.quiet();

    expect(world.heard(ada)).toEqual(['answer to m1', 'answer to m2 m3']);
    expect(await turnsOf(world)).toMatchObject([
      { state: 'answered', attempt: 2 },
      { state: 'answered', attempt: 1 },
    ]);
    noViolations(world);
  });

  test('/stop before a worker is back ends the turn that was begun, and not with "nothing is running"', async ({
    onTestFailed,
  }) => {
    const asked = gate();
    await using world = await openChaos({ onTestFailed, queue: 'redis', script: searchThenAnswer(asked) });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    world.says(ada, 'm1');
    await asked.reached;

    await worker.kill();
    world.says(ada, '/stop');
    await until(async () => expect(await world.sql('SELECT kind FROM signals')).toHaveLength(1));
    await world.start('worker');
    await until(() => expect(world.heard(ada)).toEqual(['ℹ️ Stopped.']));
    asked.open();

    expect(await turnsOf(world)).toMatchObject([{ state: 'stopped', attempt: 2 }]);
  });

  test('open tool round: what must not run twice does not, what never began runs, what is done stays', async ({
    onTestFailed,
  }) => {
    await using tools = await startToolServer();
    await using world = await openChaos({
      onTestFailed,
      queue: 'redis',
      script: callsThenAnswer(['look', 'press', 'press', 'press'], ['a', 'b', 'c', 'd']),
    });
    const start = (): Promise<Program> =>
      untilRunning(world.run(['test/support/chaos/worker-with-tools.ts', tools.url]));
    const hanging = tools.hang('press/c');
    const [, worker] = await Promise.all([world.start('gateway'), start()]);
    world.says(ada, 'm1');
    await hanging;

    await worker.kill();
    await start();

    await world.answeredOnce(ada, ['m1']);
    expect(tools.runs).toEqual(['look/a', 'press/b', 'press/c', 'press/d']);
    expect(await toolTexts(world)).toEqual([
      'done look/a',
      'done press/b',
      'interrupted: the tool was stopped before it gave a result; it was not run again',
      'done press/d',
    ]);
    expect(await turnsOf(world)).toMatchObject([{ state: 'answered', attempt: 2 }]);
  });

  test('open tool round of a repeatable tool: it runs again', async ({ onTestFailed }) => {
    await using tools = await startToolServer();
    await using world = await openChaos({
      onTestFailed,
      queue: 'redis',
      script: callsThenAnswer(['press', 'look'], ['a', 'b']),
    });
    const start = (): Promise<Program> =>
      untilRunning(world.run(['test/support/chaos/worker-with-tools.ts', tools.url]));
    const hanging = tools.hang('look/b');
    const [, worker] = await Promise.all([world.start('gateway'), start()]);
    world.says(ada, 'm1');
    await hanging;

    await worker.kill();
    await start();

    await world.answeredOnce(ada, ['m1']);
    expect(tools.runs).toEqual(['press/a', 'look/b', 'look/b']);
    expect(await toolTexts(world)).toEqual(['done press/a', 'done look/b']);
  });

  test('answered, not stored: the answer that was never sent is asked for again', async ({
    onTestFailed,
  }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    await using held = await world.hold({ table: 'outbox', event: 'INSERT' });
    world.says(ada, 'm1');
    await held.reached();

    await worker.kill();
    await held.release();
    await world.start('worker');

    await world.answeredOnce(ada, ['m1']);
    expect(await turnsOf(world)).toMatchObject([{ state: 'answered', attempt: 2, last_step: 1 }]);
    expect(await rowsOf(world)).toEqual(['person 0', 'assistant 1']);
  });

  test('hanging longer than its lease: another one ends the turn, and the late one writes and sends nothing', async ({
    onTestFailed,
  }) => {
    const asked = gate();
    await using world = await openChaos({ onTestFailed, queue: 'redis', script: slowFirstAnswer(asked) });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    world.says(ada, 'm1');
    await asked.reached;

    worker.freeze();
    await world.start('worker');
    await world.answeredOnce(ada, ['m1']);
    asked.open();
    worker.thaw();
    // It works again, and on what is new.
    world.says(ada, 'm2');
    await world.answeredOnce(ada, ['m1', 'm2']);
    await worker.stop('SIGTERM');

    expect(world.heard(ada)).toEqual(['answer to m1', 'answer to m2']);
    expect(await turnsOf(world)).toMatchObject([
      { state: 'answered', attempt: 2, last_step: 1 },
      { state: 'answered', attempt: 1, last_step: 1 },
    ]);
    expect(await rowsOf(world)).toEqual(['person 0', 'assistant 1', 'person 0', 'assistant 1']);
  });

  test('at every attempt: after the last one the person is told once, and the session goes on', async ({
    onTestFailed,
  }) => {
    const attempts = [gate(), gate()];
    await using world = await openChaos({
      onTestFailed,
      queue: 'redis',
      worker: { max_turn_attempts: 2 },
      script: async (request) => {
        if (!answerText(request).includes('m2')) await attempts[request.index]?.pass();
        return { text: answerText(request) };
      },
    });
    let [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    world.says(ada, 'm1');
    for (const attempt of attempts) {
      await attempt.reached;
      await worker.kill();
      worker = await world.start('worker');
    }
    await until(() => expect(world.heard(ada)).toHaveLength(1));
    world.says(ada, 'm2');
    await until(() => expect(world.heard(ada)).toHaveLength(2));
    await world.quiet();

    expect(world.heard(ada)[0]).toContain('I could not finish an answer to your last message');
    expect(world.heard(ada)[1]).toBe('answer to m1 m2');
    expect(await turnsOf(world)).toMatchObject([
      { state: 'dead', attempt: 2 },
      { state: 'answered', attempt: 1 },
    ]);
    noViolations(world);
  });

  test.for(['redis', 'postgres'] as const satisfies readonly QueueKind[])(
    'told to stop in mid-turn (%s): it is not ready any more, the turn is put back and another worker ends it',
    async (queue, { onTestFailed }) => {
      const asked = gate();
      await using world = await openChaos({ onTestFailed, queue, script: searchThenAnswer(asked) });
      const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
      world.says(ada, 'm1');
      await asked.reached;
      const [before] = await turnsOf(world);
      expect(await isReady(worker)).toBe(true);
      await using held = await holdSessions(world.databaseUrl);
      const stopping = worker.stop('SIGTERM');
      await until(async () => expect(await isReady(worker)).toBe(false));
      // It still has to give the turn back.
      expect(await world.sql('SELECT lease_until > now() AS held FROM sessions')).toEqual([{ held: true }]);
      await held.letGo();
      expect(await stopping).toEqual({ code: 0, signal: null });
      asked.open();
      expect(await turnsOf(world)).toEqual([{ id: before?.id, state: 'running', attempt: 0, last_step: 1 }]);
      await world.start('worker');

      await world.answeredOnce(ada, ['m1']);
      expect(await turnsOf(world)).toEqual([{ id: before?.id, state: 'answered', attempt: 1, last_step: 2 }]);
      expect(await rowsOf(world)).toEqual(['person 0', 'assistant 1', 'tool 1', 'assistant 2']);
    },
  );
});

/** All calls in one round, then an answer. */
function callsThenAnswer(tools: readonly string[], names: readonly string[]): ModelScript {
  return (request) => {
    if (roundsOf(request).results.length > 0) return { text: answerText(request) };
    return { toolCalls: tools.map((name, index) => ({ name, arguments: { name: names[index] } })) };
  };
}

function turnsOf(world: ChaosWorld): Promise<Record<string, unknown>[]> {
  return world.sql('SELECT id, state, attempt, last_step FROM turns ORDER BY started_at');
}

/** Kind and step of every row, in order. */
async function rowsOf(world: ChaosWorld): Promise<string[]> {
  const rows = await world.sql('SELECT kind, step FROM messages ORDER BY seq');
  return rows.map((row) => `${String(row.kind)} ${String(row.step)}`);
}

async function toolTexts(world: ChaosWorld): Promise<unknown[]> {
  const rows = await world.sql(
    "SELECT parts -> 0 ->> 'text' AS text FROM messages WHERE kind = 'tool' ORDER BY seq",
  );
  return rows.map((row) => row.text);
}
