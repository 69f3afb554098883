/** /forget: a person is erased everywhere, from a session that all three engines have filled. */
import { expect, test } from 'vitest';
import { followNudges, type ModelScript } from '@palimpsest/testkit';
import { words } from '../support/memory-transcript.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const codeIn = (text: string): string => /\/forget ([0-9A-F]{6})/.exec(text)?.[1] ?? '';

test('/forget asks for its code, and with it nothing of the person is left in any table', async () => {
  const talker: ModelScript = () => ({ text: `Noted. The gondola waits. ${words(300)}` });
  await using world = await openTurnWorld({ script: followNudges(talker), window: 16_000 });
  await talk(world, 1);
  const sessionId = await world.sessionId();
  const blocks = () => world.store.dcp.blocks(sessionId);
  while ((await world.store.compactions.ledger({ sessionId, limit: 9 })).length === 0) await talk(world, 1);
  await ask(world, '/engine lcm');
  await talk(world, 1);
  await ask(world, '/title The ferry');
  while ((await world.store.lcm.heads(sessionId)).length < 2) await talk(world, 1);
  await ask(world, '/engine dcp');
  while ((await blocks()).length === 0) await talk(world, 1);
  const phrases = { texts: ['ferry', 'gondola', 'Ada'], personIds: [1] };
  const before = Object.keys(await world.store.erase.traces(phrases));
  expect(before).toEqual(
    expect.arrayContaining([
      'dcp_block.body',
      'identities.name',
      'inbox.raw',
      'lcm_summaries.content',
      'mailbox.content',
      'message_search.tsv',
      'messages.parts',
      'outbox.text',
      'outbox_parts.text',
      'usage_days.person_id',
    ]),
  );

  const asked = await ask(world, '/forget');
  const wrong = await ask(world, '/forget 000000');
  expect(wrong).toContain('That code is wrong');
  await world.say(`/forget ${codeIn(asked)}`);
  await world.hear(1, (text) => text.includes('Erased:'));

  expect(await world.heard()).toEqual([
    expect.stringMatching(
      /^ℹ️ Erased: \d+ messages in 1 conversations, 0 quotes of them, \d+ summaries, \d+ files\./,
    ),
  ]);
  expect(await world.store.erase.traces(phrases)).toEqual({});
  const rows = await world.rows();
  expect(rows.every((row) => row.state === 'withdrawn' && row.parts.length === 0)).toBe(true);
  expect(await world.store.lcm.doctor(sessionId)).toEqual([]);
  expect(await world.store.dcp.blocks(sessionId)).toEqual([]);
  await world.say('Hello again.');
  expect((await world.hear(1, isAnswer))[0]).toContain('Noted');
  expect(await world.sessionId()).toBe(sessionId);
  expect(world.model.violations).toEqual([]);
}, 60_000);

test('a code goes with its request, and is of no use to the next one', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 1);
  const code = codeIn(await ask(world, '/forget'));
  await world.say(`/forget ${code}`);
  await world.hear(1, (text) => text.includes('Erased:'));

  expect(await ask(world, `/forget ${code}`)).toContain('That code is wrong');
});
