/** Crashes of the gateway between a finished turn and the receipt of its answer. */
import { describe, expect, test } from 'vitest';
import { answers, gate, marksIn } from '../support/chaos/scripts.ts';
import {
  botApiSchema,
  discordSchema,
  noViolations,
  openChaos,
  until,
  type ChaosWorld,
} from '../support/chaos/world.ts';

const ada = 503;
const mark = '(this may be a repeat)\n';

describe.skipIf(botApiSchema.missing)('a crash of the gateway on Telegram', { concurrent: true }, () => {
  test('finished while no gateway ran: delivered by the next one', async ({ onTestFailed }) => {
    const asked = gate();
    const script = async (request: Parameters<typeof answers>[0]) => {
      await asked.pass();
      return answers(request);
    };
    await using world = await openChaos({ onTestFailed, queue: 'redis', script });
    const [gateway] = await Promise.all([world.start('gateway'), world.start('worker')]);
    world.says(ada, 'm1');
    await asked.reached;

    await gateway.kill();
    asked.open();
    await until(async () => expect(await outboxOf(world)).toEqual(['final pending']));
    await world.endLeases();
    await world.start('gateway');

    await world.answeredOnce(ada, ['m1']);
    expect(world.heard(ada)).toEqual(['answer to m1']);
    expect(await outboxOf(world)).toEqual(['final sent']);
  });

  test('split, nothing sent: sent once, without a mark', async ({ onTestFailed }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [gateway] = await Promise.all([world.start('gateway'), world.start('worker')]);
    await using held = await world.hold({
      table: 'outbox_parts',
      event: 'UPDATE',
      when: "NEW.state = 'sending'",
    });
    world.says(ada, 'm1');
    await held.reached();

    await gateway.kill();
    await held.release();
    await world.endLeases();
    await world.start('gateway');

    await world.answeredOnce(ada, ['m1']);
    expect(world.heard(ada)).toEqual(['answer to m1']);
    expect(await outboxOf(world)).toEqual(['final sent']);
  });

  test('sent, receipt not stored: sent again with the mark, and the row says unknown', async ({
    onTestFailed,
  }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [gateway] = await Promise.all([world.start('gateway'), world.start('worker')]);
    const sent = world.telegram.holdNext('sendMessage');
    world.says(ada, 'm1');
    await sent.reached;

    await gateway.kill();
    world.says(ada, 'm2');
    await world.endLeases();
    await world.start('gateway');
    await until(() => expect(world.heard(ada)).toHaveLength(3));
    await world.quiet();

    expect(world.heard(ada)).toEqual(['answer to m1', `${mark}answer to m1`, 'answer to m2']);
    expect(await outboxOf(world)).toEqual(['final unknown', 'final sent']);
    noViolations(world);
  });

  test('the same in the middle of a long answer: the other parts arrive once', async ({ onTestFailed }) => {
    const parts = ['A', 'B', 'C'].map((letter) => `${letter.repeat(3_900)}`);
    await using world = await openChaos({
      onTestFailed,
      queue: 'redis',
      script: () => ({ text: parts.join('\n\n') }),
    });
    const [gateway] = await Promise.all([world.start('gateway'), world.start('worker')]);
    // The first answer goes through, the second one is held.
    const first = world.telegram.holdNext('sendMessage');
    const second = world.telegram.holdNext('sendMessage');
    world.says(ada, 'm1');
    await first.reached;
    first.release();
    await second.reached;

    await gateway.kill();
    await world.endLeases();
    await world.start('gateway');
    await until(() => expect(world.heard(ada)).toHaveLength(4));
    await world.quiet();

    const [a, b, c] = parts;
    expect(world.heard(ada)).toEqual([a, b, mark + String(b), c]);
    expect(await outboxOf(world)).toEqual(['final unknown']);
    noViolations(world);
  });

  test('a notice whose receipt was not stored is not repeated', async ({ onTestFailed }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis' });
    const [gateway] = await Promise.all([world.start('gateway'), world.start('worker')]);
    const sent = world.telegram.holdNext('sendMessage');
    world.says(ada, '/whoami');
    await sent.reached;

    await gateway.kill();
    await world.endLeases();
    await world.start('gateway');
    world.says(ada, 'm1');
    await world.answeredOnce(ada, ['m1']);

    expect(world.heard(ada)).toHaveLength(2);
    expect(await outboxOf(world)).toEqual(['notice unknown', 'final sent']);
  });
});

describe.skipIf(discordSchema.missing)('a crash of the gateway on Discord', () => {
  test('sent, receipt not stored: the same nonce gives the same message', async ({ onTestFailed }) => {
    await using world = await openChaos({ onTestFailed, queue: 'redis', discord: true });
    const channel = world.discord.addDm({ id: '1026115847244793211', username: 'ada' });
    const author = { id: '1026115847244793211', username: 'ada' };
    const heard = (): string[] => world.discord.sent(channel.id).map((message) => message.content);
    const [gateway] = await Promise.all([world.start('gateway'), world.start('worker')]);
    await until(() => expect(world.discord.connected).toBe(1));
    await using held = await world.hold({
      table: 'outbox_parts',
      event: 'UPDATE',
      when: "NEW.state = 'sent'",
    });
    world.discord.userSends({ channelId: channel.id, author, content: 'm1' });
    await held.reached();
    expect(heard()).toEqual(['answer to m1']);

    await gateway.kill();
    await held.release();
    // Written while nobody listens: found by the backfill.
    world.discord.userSends({ channelId: channel.id, author, content: 'm2' });
    await world.endLeases();
    await world.start('gateway');
    await until(() => expect(heard().flatMap(marksIn)).toContain('m2'));
    await world.quiet();

    expect(heard()).toEqual(['answer to m1', 'answer to m2']);
    expect(await outboxOf(world)).toEqual(['final sent', 'final sent']);
    noViolations(world);
  });
});

/** Kind and state of every reply, oldest first. */
async function outboxOf(world: ChaosWorld): Promise<string[]> {
  const rows = await world.sql('SELECT kind, state FROM outbox ORDER BY id');
  return rows.map((row) => `${String(row.kind)} ${String(row.state)}`);
}
