/** Errors and notices on their whole way: in the person's language, in plain words, and not again and again. */
import { expect, test } from 'vitest';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

test('a failure is told in the language of the chat, once in a cool-down, and every message is kept', async () => {
  let isDown = false;
  await using world = await openTurnWorld({
    script: () => (isDown ? { fault: 'auth' } : { text: 'Hello.' }),
  });
  const query = (text: string) =>
    withClient(
      world.databaseUrl,
      async (client) => (await client.query(text)).rows as Record<string, unknown>[],
    );
  const failed = (count: number) =>
    until(async () => (await query(`SELECT 1 FROM turns WHERE state = 'failed'`)).length === count);
  const notices = async () => (await world.heard()).filter((text) => text.startsWith('ℹ️'));
  await world.say('hi');
  await world.hear(1);
  await query(`UPDATE chats SET language = 'de-AT'`);
  isDown = true;

  await world.say('and now?');
  await failed(1);
  await world.say('hello?');
  await failed(2);
  await query(`UPDATE outbox SET created_at = now() - interval '61 seconds'`);
  await world.say('anybody?');
  await failed(3);
  await until(async () => (await notices()).length === 2);

  const told =
    /^ℹ️ Das Modell lässt sich so, wie es eingerichtet ist, nicht benutzen\..* Deine Nachricht bleibt erhalten\. \(\w{8}\)$/;
  expect(await notices()).toEqual([expect.stringMatching(told), expect.stringMatching(told)]);
  const people = (await world.rows()).filter(({ kind }) => kind === 'person');
  expect(people).toHaveLength(4);
});
