import { expect, test } from 'vitest';
import { sessionSearch } from '@palimpsest/agent';
import { openTurnWorld } from '../support/turn-world.ts';

test('a long archived message is found and read to its end with session_search, also from a session before /reset', async () => {
  const long = `Zanzibar ${'is a word of this long message '.repeat(300)}and it ends with kumquat`;
  await using world = await openTurnWorld({ script: () => ({ text: 'ok' }) });
  await world.say(long);
  await world.hear(1);
  const first = await world.sessionId();
  await world.say('/reset');
  await world.hear(2);
  await world.say('new here');
  await world.hear(3);
  const search = sessionSearch(world.store.transcript, 'UTC');
  const session = (await world.store.turns.session(await world.sessionId()))!;
  const scope = {
    session,
    turnId: 't',
    senderIds: ['local'],
    signal: new AbortController().signal,
    callId: 'c',
  };

  const found = await search.run({ query: 'Zanzibar' }, scope);
  const id = Number(/^> .*?\(id (\d+)\)/.exec(found.text)![1]);
  const pages = [await search.run({ around_message_id: id, offset: 0 }, scope)];
  for (let next = nextOffset(pages[0]!.text); next !== null; next = nextOffset(pages.at(-1)!.text)) {
    pages.push(await search.run({ around_message_id: id, offset: next }, scope));
  }

  expect(session.id).not.toBe(first);
  expect(found.text).toContain('[cut; offset 1500 reads on]');
  expect(pages.map((page) => page.text.replace(/\n\[(more: offset \d+ of \d+|end)\]$/, '')).join('')).toBe(
    long,
  );
});

function nextOffset(text: string): number | null {
  const more = /\[more: offset (\d+) of \d+\]$/.exec(text);
  return more ? Number(more[1]) : null;
}
