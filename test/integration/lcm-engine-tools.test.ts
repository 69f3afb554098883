/** The engine's tools over a real graph on Postgres. */
import { estimateTokens } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { condense, lcmOf } from '../support/lcm.ts';
import { LcmPostgresWorld } from '../support/lcm-postgres-world.ts';
import { answerRow, userRow, words } from '../support/memory-transcript.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';
import { zebraConfig, zebraHistory } from '../support/zebra-history.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const aHistory = () => zebraHistory(world);

const itemsOf = async (talk: LcmPostgresWorld) => (await lcmOf(world).load(talk.session.sessionId)).items;

test('lcm_grep finds messages under summaries, with the leaf that covers them', async () => {
  const talk = await aHistory();

  const { text, isError } = await talk.call('lcm_grep', { query: 'zebra3' });

  expect(isError).toBe(false);
  expect(text).toMatch(
    /^1 messages, 0 summaries \(full_text, recency\)\nmessage \d+ \[[\d: -]+\] \S+ \(under sum_[0-9a-f]{16}\): zebra3/,
  );
});

test.each([
  [{}, '"query" is empty'],
  [{ query: 'a|b.*' }, 'set mode to regex'],
  [{ query: 'x', mode: 'fuzzy' }, '"mode" is "fuzzy"; allowed: full_text, regex'],
  [{ query: 'x', since: 'yesterday' }, 'an ISO time such as'],
  [{ query: 'x', since: '2026-02-02', before: '2026-01-01' }, '"since" must lie before "before"'],
  [{ query: '(a+)+$', mode: 'regex' }, 'could take for ever'],
  [{ query: 'x', mode: 'regex', sort: 'hybrid' }, 'needs mode full_text'],
])('lcm_grep refuses %j with what to do instead', async (input, said) => {
  const talk = await aHistory();

  const { text, isError } = await talk.call('lcm_grep', input);

  expect([isError, text]).toEqual([true, expect.stringContaining(said)]);
});

test('A37 lcm_describe: an id is taken from a whole line; what is unknown or out of scope is not found', async () => {
  const talk = await aHistory();
  const other = await aHistory();
  const [item] = await itemsOf(talk);
  const [foreign] = await itemsOf(other);

  const known = await talk.call('lcm_describe', { id: `see ${item!.id} for more` });
  const unknown = await talk.call('lcm_describe', { id: 'sum_00000000000000ff' });
  const outside = await talk.call('lcm_describe', { id: foreign!.id });
  const inverted = await talk.call('lcm_describe', {
    id: 'file_0123456789abcdef',
    start_line: 5,
    end_line: 2,
  });

  expect(known.text).toMatch(new RegExp(`^${item!.id}: condensed, depth 1, shown in the context`));
  expect(known.text).toContain('of 0 messages');
  expect([unknown.isError, outside.isError]).toEqual([true, true]);
  expect(outside.text.replace(foreign!.id, 'ID')).toBe(unknown.text.replace('sum_00000000000000ff', 'ID'));
  expect(inverted.text).toBe('"end_line" must not lie before "start_line"');
});

test('lcm_describe cuts a text over its cap and says so', async () => {
  const talk = await aHistory();
  const { node } = await condense(world, talk.session, await itemsOf(talk), words(3_000));

  const usual = await talk.call('lcm_describe', { id: node.id });
  const short = await talk.call('lcm_describe', { id: node.id, token_cap: 100 });

  expect(estimateTokens(usual.text)).toBeLessThan(4_400);
  expect(short.text).toMatch(/\[cut at 100 of \d+ tokens; "token_cap" sets how many\]$/);
  expect(estimateTokens(short.text)).toBeLessThan(500);
});

test('lcm_describe without an id tells the state of this session', async () => {
  const talk = await aHistory();

  const { text } = await talk.call('lcm_describe', {});

  expect(text).toContain('2 messages word for word');
  expect(text).toContain('16 under summaries');
  expect(text).toContain('4 of depth 0, 1 of depth 1');
  expect(text).toMatch(/threshold: success, \d summaries/);
});

test('A38 lcm_expand opens the sources of a node, messages only when asked and only under leaves', async () => {
  const talk = await aHistory();
  const [item] = await itemsOf(talk);

  const plain = await talk.call('lcm_expand', { target_type: 'summary', target_id: item!.id });
  const deep = await talk.call('lcm_expand', {
    target_type: 'summary',
    target_id: item!.id,
    include_messages: true,
  });

  expect(plain.text.match(/\[sum_[0-9a-f]{16}, depth 0/g)).toHaveLength(4);
  expect(plain.text).not.toContain('[message ');
  expect(plain.text).toContain('\n[end]\n');
  expect(deep.text.match(/\[message \d+,/g)).toHaveLength(16);
});

test('A38 it stops before the part that would pass the cap, and says so', async () => {
  const talk = await aHistory();
  const [item] = await itemsOf(talk);

  const { text } = await talk.call('lcm_expand', {
    target_type: 'summary',
    target_id: item!.id,
    token_cap: 120,
  });

  expect(text.match(/\[sum_[0-9a-f]{16}, depth 0/g)!.length).toBeLessThan(4);
  expect(text).toContain('[truncated:');
});

test('a message is read whole, page by page', async () => {
  const talk = new LcmPostgresWorld({ world, session: await world.newSession(), config: zebraConfig });
  const whole = words(6_000);
  await talk.append([userRow(whole), answerRow('ok')]);
  const { id } = (await talk.view()).rows[0]!;
  let read = '';

  for (let offset: number | null = 0; offset !== null;) {
    const { text } = await talk.call('lcm_expand', {
      target_type: 'message',
      target_id: `message ${id}`,
      offset,
    });
    const end = text.lastIndexOf('\n');
    read += text.slice(text.indexOf('\n') + 1, end);
    const next: RegExpExecArray | null = /next_offset (\d+)/.exec(text.slice(end));
    offset = next ? Number(next[1]) : null;
  }

  expect(read).toBe(whole);
});

test('lcm_expand of a topic opens the best hits', async () => {
  const talk = await aHistory();

  const { text } = await talk.call('lcm_expand', { target_type: 'related', query: 'zebra5' });

  expect(text).toMatch(/^\[message \d+, .*\]\nzebra5/);
});

test('an unknown tool and broken arguments are answered, not thrown', async () => {
  const talk = await aHistory();

  expect(await talk.call('lcm_fly', {})).toMatchObject({ isError: true });
  expect((await talk.call('lcm_expand', { target_type: 'message', target_id: 'none' })).text).toBe(
    '"target_id" must be the number of a message',
  );
});
