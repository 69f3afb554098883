/** Topics: where an answer goes in forums, in reply chains and when a topic is gone. */
import { describe, expect, test } from 'vitest';
import type { ChatPlace, OutgoingPart } from '@palimpsest/core';
import { botApiSchema } from '../support/fake-telegram.ts';
import { openAdapter } from '../support/telegram-adapter.ts';

const direct: ChatPlace = { chatId: '5', threadId: '', kind: 'direct' };
const running = (): AbortSignal => new AbortController().signal;

function part(fields: Partial<OutgoingPart> = {}): OutgoingPart {
  return { place: direct, text: 'hello', nonce: 'n1', ...fields };
}

describe.skipIf(botApiSchema.missing)('topics', () => {
  async function openForum() {
    const world = await openAdapter();
    world.fake.addChat({ id: -1001, type: 'supergroup', is_forum: true });
    // Takes message id 1, which as a topic would be General.
    world.fake.userSends({ chatId: -1001, from: 5, text: 'welcome' });
    return {
      world,
      topic: world.fake.addTopic(-1001, 'News', 5),
      place: (threadId: string): ChatPlace => ({ chatId: '-1001', threadId, kind: 'group' }),
    };
  }

  test('a message for a topic goes there, one for General has no thread id', async () => {
    const { world, topic, place } = await openForum();
    await using _world = world;

    await world.adapter.sender.send(part({ place: place(String(topic)) }), running());
    await world.adapter.sender.send(part({ place: place('') }), running());
    await world.adapter.sender.send(part({ place: place('1') }), running());

    expect(
      world.fake.requestsTo('sendMessage').map(({ params, outcome }) => [params.message_thread_id, outcome]),
    ).toEqual([
      [topic, 'ok'],
      [undefined, 'ok'],
      [undefined, 'ok'],
    ]);
  });

  test('an answer in a reply chain of an ordinary group goes to the chat', async () => {
    await using world = await openAdapter();
    world.fake.addChat({ id: -1002, type: 'supergroup' });
    world.fake.userSends({ chatId: -1002, from: 5, text: 'first' });
    world.fake.userSends({ chatId: -1002, from: 5, text: '@palimpsest_test_bot second', replyTo: 1 });
    world.start();
    await world.store.waitForTexts(2);
    const [, asked] = world.store.updates();
    if (asked?.content.kind !== 'message') throw new Error('a message was expected');

    const { chat, messageId } = asked.content;
    const result = await world.adapter.sender.send(
      part({ place: chat, replyToMessageId: messageId }),
      running(),
    );

    expect(result).toMatchObject({ kind: 'sent' });
    expect(world.fake.requestsTo('sendMessage')[0]?.params).not.toHaveProperty('message_thread_id');
  });

  test('an answer for a deleted topic goes to the chat once, and the operator is told', async () => {
    const { world, topic, place } = await openForum();
    await using _world = world;
    const message = world.fake.userSends({ chatId: -1001, from: 5, text: 'hi', threadId: topic }).message as {
      message_id: number;
    };
    world.fake.setTopicState(-1001, topic, 'deleted');

    const result = await world.adapter.sender.send(
      part({ place: place(String(topic)), replyToMessageId: String(message.message_id) }),
      running(),
    );

    expect(result).toMatchObject({ kind: 'sent' });
    expect(world.fake.requestsTo('sendMessage').map(({ outcome }) => outcome)).toEqual([400, 'ok']);
    expect(world.logs).toMatchObject([
      { level: 'warn', message: 'the topic of an answer is gone; the answer goes to the chat itself' },
    ]);
  });

  test('it is not tried a third time', async () => {
    const { world, topic, place } = await openForum();
    await using _world = world;
    world.fake.setTopicState(-1001, topic, 'deleted');
    world.fake.failNext('sendMessage', {
      error_code: 400,
      description: 'Bad Request: message thread not found',
    });
    world.fake.failNext('sendMessage', {
      error_code: 400,
      description: 'Bad Request: message thread not found',
    });

    expect(await world.adapter.sender.send(part({ place: place(String(topic)) }), running())).toEqual({
      kind: 'failed',
      message: 'Bad Request: message thread not found',
    });
    expect(world.fake.requestsTo('sendMessage')).toHaveLength(2);
  });

  test('an answer to a message of another topic is sent without naming it', async () => {
    const { world, topic, place } = await openForum();
    await using _world = world;
    const message = world.fake.userSends({ chatId: -1001, from: 5, text: 'in General' }).message as {
      message_id: number;
    };

    const result = await world.adapter.sender.send(
      part({ place: place(String(topic)), replyToMessageId: String(message.message_id) }),
      running(),
    );

    expect(result).toMatchObject({ kind: 'sent' });
  });

  test('typing names the topic, and General only where there are topics', async () => {
    const { world, topic, place } = await openForum();
    await using _world = world;
    world.fake.userSends({ chatId: 5, text: 'hi' });
    world.fake.userSends({ chatId: -1001, from: 5, text: 'hi' });
    world.start();
    await world.store.waitForTexts(3);

    await world.adapter.sender.typing(place(String(topic)));
    await world.adapter.sender.typing(place(''));
    await world.adapter.sender.typing(direct);

    expect(world.fake.actions).toEqual([
      { chatId: -1001, action: 'typing', threadId: topic },
      { chatId: -1001, action: 'typing', threadId: 1 },
      { chatId: 5, action: 'typing' },
    ]);
    expect(world.fake.violations).toEqual([]);
  });
});
