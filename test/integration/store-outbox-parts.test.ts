/** What a reply is split into, as the outbox keeps it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStoreWorld, type StoreWorld, type TestSession } from '../support/store-world.ts';

let world: StoreWorld;
let accounts = 0;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** An account of its own for each test, with a chat and its session. */
async function newChat(): Promise<TestSession & { account: string }> {
  const account = `${(accounts += 1)}`;
  return { ...(await world.newSession({ account })), account: `telegram-${account}` };
}

test('how a part is formatted is stored with it, so that a repeated attempt sends the same', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, '**a** b');
  const bold = {
    text: 'a b',
    form: { kind: 'entities' as const, entities: [{ type: 'bold', offset: 0, length: 1 }] },
  };
  const file = { text: '**a** b', form: { kind: 'file' as const, name: 'answer.md', caption: 'whole' } };
  await world.outbox.begin(id, [bold, file, { text: 'plain' }]);

  const [reply] = await world.outbox.due(chat.account, 1);
  expect(reply?.parts.map(({ text, form }) => ({ text, form }))).toEqual([
    bold,
    file,
    { text: 'plain', form: undefined },
  ]);
});

test('parts that are not out are replaced by others, those that are keep their receipts', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'ab');
  const [a, b] = await world.outbox.begin(id, [{ text: 'a' }, { text: 'file' }]);
  await world.outbox.partSending(a!);
  await world.outbox.partSent(a?.id ?? 0, '501');
  await world.outbox.partSending(b!);

  const parts = await world.outbox.replaceRest(id, [{ text: 'b' }, { text: 'c' }]);

  expect(parts.map(({ index, text, state }) => [index, text, state])).toEqual([
    [0, 'a', 'sent'],
    [1, 'b', 'pending'],
    [2, 'c', 'pending'],
  ]);
  await expect(world.outbox.replaceRest(999_999, [])).rejects.toMatchObject({ code: 'row_missing' });
});

test('of two senders that read the same part only one may send it', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'a');
  const [a] = await world.outbox.begin(id, [{ text: 'a' }]);
  await world.outbox.partSending(a!);

  await expect(world.outbox.partSending(a!)).rejects.toMatchObject({ code: 'row_missing' });
  await world.outbox.partSending({ ...a!, attempts: 1 });
});

test('a remark on a receipt stays with the reply', async () => {
  const chat = await newChat();
  const id = await world.addReply(chat, 'a');
  const [a] = await world.outbox.begin(id, [{ text: 'a' }]);
  await world.outbox.partSending(a!);
  await world.outbox.partSent(a?.id ?? 0, '501', 'sent as plain text');

  expect(await world.query('SELECT state, problem FROM outbox WHERE id = $1', [id])).toEqual([
    { state: 'sent', problem: 'sent as plain text' },
  ]);
});
