/** Whatever a person writes behind a command, what belongs to somebody else stays where it is. */
import { expect, test } from 'vitest';
import { commandList } from '../../packages/turn/src/commands/command-list.ts';
import { queryDatabase } from '@palimpsest/testkit';
import { answering } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';
import { untilQuiet } from '../support/until-quiet.ts';

const secret = 'walnut';
const title = 'Where the walnuts are';

/** A conversation of somebody else on the same account, with a title; its id. */
async function adasSession(world: TurnWorld): Promise<string> {
  const id = await world.history.importRows({
    account: { platform: 'local', id: 'local' },
    place: { chatId: 'ada', threadId: '', kind: 'direct' },
    sender: { id: 'ada', name: 'Ada', isBot: false },
    engine: 'compressor',
    rows: ['one', 'two', 'three'].map((word) => ({
      role: 'user',
      kind: 'person',
      parts: [{ type: 'text', text: `${word}: the ${secret} is under the stairs` }],
      tokens: 12,
    })),
  });
  await queryDatabase(world.databaseUrl, 'UPDATE sessions SET title = $2 WHERE id = $1', [id, title]);
  return id;
}

/** All that is stored of a session. */
async function stored(world: TurnWorld, id: string): Promise<unknown> {
  return [
    await queryDatabase(world.databaseUrl, 'SELECT to_jsonb(s) AS row FROM sessions s WHERE id = $1', [id]),
    await queryDatabase(
      world.databaseUrl,
      'SELECT to_jsonb(m) AS row FROM messages m WHERE session_id = $1 ORDER BY seq',
      [id],
    ),
    await queryDatabase(world.databaseUrl, `SELECT to_jsonb(c) AS row FROM chats c WHERE chat_id = 'ada'`),
  ];
}

/** What may be quoted back, since the person wrote it, cut as the service cuts it. */
const quoting = new Set(['title', 'sessions', 'resume', 'compress']);

test('no command with no argument shows or changes a conversation of somebody else', async () => {
  await using world = await openTurnWorld({ script: answering() });
  const id = await adasSession(world);
  const before = await stored(world, id);
  // A chat a command, so that none works on what another has left; /forget ends them all.
  const names = commandList.map(({ name }) => name).filter((name) => name !== 'forget');
  for (const name of names) await world.say('Line 1. When does the ferry leave?', undefined, name);
  await untilQuiet(world);

  const others = ['', '1', id, id.slice(-8), title, secret, 'local:ada'];
  for (const argument of others) {
    for (const name of names) await world.say(`/${name} ${argument}`.trim(), undefined, name);
    await untilQuiet(world);
  }
  for (const argument of others) await world.say(`/forget ${argument}`.trim());
  await untilQuiet(world);

  expect(names.length).toBeGreaterThan(18);
  for (const name of names) {
    const heard = (await world.heard(name)).join('\n');
    expect([name, heard.length > 0]).toEqual([name, true]);
    expect([name, heard.includes('under the stairs')]).toEqual([name, false]);
    if (!quoting.has(name))
      expect([name, heard.replaceAll(new RegExp(`["“]${title}["”]`, 'g'), '').includes(title)]).toEqual([
        name,
        false,
      ]);
  }
  expect(await stored(world, id)).toEqual(before);
}, 180_000);
