/** The fake Bot API server: strict about requests, honest about its own answers. */
import { Api, InputFile } from 'grammy';
import { describe, expect, test } from 'vitest';
import { botApiSchema, openTelegram, post, refusalOf } from '../support/fake-telegram.ts';

describe.skipIf(botApiSchema.missing)('requests are checked against the schema', () => {
  test('a client that keeps to the schema leaves no violation', async () => {
    await using world = await openTelegram();
    world.fake.userSends({ chatId: 5, text: 'hi' });

    const me = await world.api.getMe();
    await world.api.sendChatAction(5, 'typing');
    await world.api.sendMessage(5, 'hello', { reply_parameters: { message_id: 1 } });

    expect(me).toMatchObject({ id: 7000000001, is_bot: true, username: 'palimpsest_test_bot' });
    expect(world.fake.violations).toEqual([]);
    expect(world.fake.requests.map(({ method, outcome }) => [method, outcome])).toEqual([
      ['getMe', 'ok'],
      ['sendChatAction', 'ok'],
      ['sendMessage', 'ok'],
    ]);
  });

  test('an unknown method is answered 404 and is a violation', async () => {
    await using world = await openTelegram();

    const answer = await post(world.fake, 'sendMesage', '{}', 'application/json');

    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ ok: false, error_code: 404, description: 'Not Found' });
    expect(world.fake.violations).toEqual(['there is no method sendMesage']);
  });

  test('a parameter the schema does not list is a violation though the call goes through', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const body = JSON.stringify({ chat_id: 5, text: 'hi', reply_to_message_id: 1 });
    const answer = await post(world.fake, 'sendMessage', body, 'application/json');

    expect(answer.status).toBe(200);
    expect(world.fake.violations).toEqual(['sendMessage: reply_to_message_id is not in the schema']);
  });

  test('a missing parameter and a wrong type are refused and are violations', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const missing = await post(world.fake, 'sendMessage', '{"chat_id":5}', 'application/json');
    const wrong = await post(world.fake, 'sendMessage', '{"chat_id":5,"text":7}', 'application/json');

    expect([missing.status, wrong.status]).toEqual([400, 400]);
    expect(world.fake.violations).toEqual([
      'sendMessage.text: is required',
      'sendMessage.text: a number is not String',
    ]);
    expect(world.fake.sent(5)).toEqual([]);
  });

  test('nested values are checked, constants of unions among them', async () => {
    await using world = await openTelegram();
    world.fake.userSends({ chatId: 5, text: 'hi' });

    const body = JSON.stringify({
      chat_id: 5,
      message_id: 1,
      reaction: [{ type: 'emojy', emoji: '👀' }],
    });
    const answer = await post(world.fake, 'setMessageReaction', body, 'application/json');

    expect(answer.status).toBe(400);
    expect(world.fake.violations).toHaveLength(1);
    expect(world.fake.violations[0]).toContain('setMessageReaction.reaction[0]');
  });

  test('url-encoded calls are decoded by the types of the schema', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const form = new URLSearchParams({
      chat_id: '5',
      text: '12',
      disable_notification: 'true',
      reply_markup: '{"inline_keyboard":[[{"text":"Go","callback_data":"go"}]]}',
    });
    await post(world.fake, 'sendMessage', form);

    expect(world.fake.violations).toEqual([]);
    expect(world.fake.requests[0]?.params).toEqual({
      chat_id: 5,
      text: '12',
      disable_notification: true,
      reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] },
    });
  });

  test('a url-encoded value that is not of its type is a violation', async () => {
    await using world = await openTelegram();

    const answer = await post(world.fake, 'getUpdates', new URLSearchParams({ offset: 'next' }));

    expect(answer.status).toBe(400);
    expect(world.fake.violations).toEqual(['getUpdates.offset: a string is not Integer']);
  });

  test('a document that grammY uploads as multipart arrives with its bytes and name', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const file = new InputFile(Buffer.from('# Long answer'), 'answer.md');
    const message = await world.api.sendDocument(5, file, { caption: 'Summary' });
    const info = await world.api.getFile(message.document.file_id);
    const download = await fetch(`${world.fake.apiRoot}/file/bot${world.fake.token}/${info.file_path}`);

    expect(message.document).toMatchObject({ file_name: 'answer.md', file_size: 13 });
    expect(await download.text()).toBe('# Long answer');
    expect(world.fake.sent(5)).toMatchObject([{ message_id: 1, text: 'Summary' }]);
    expect(world.fake.violations).toEqual([]);
  });

  test('a file over 20 MB cannot be downloaded', async () => {
    await using world = await openTelegram();
    world.fake.addFile('big', Buffer.from('x'), { size: 20 * 1024 * 1024 + 1 });

    expect(await refusalOf(world.api.getFile('big'))).toEqual([400, 'Bad Request: file is too big']);
    expect(await refusalOf(world.api.getFile('none'))).toEqual([400, 'Bad Request: invalid file_id']);
  });

  test('a wrong token is answered 401, a malformed one 404', async () => {
    await using world = await openTelegram();

    const wrong = new Api('7000000001:other', { apiRoot: world.fake.apiRoot });
    const malformed = new Api('nonsense', { apiRoot: world.fake.apiRoot });

    expect(await refusalOf(wrong.getMe())).toEqual([401, 'Unauthorized']);
    expect(await refusalOf(malformed.getMe())).toEqual([404, 'Not Found']);
  });
});

describe.skipIf(botApiSchema.missing)('what the fake sends is checked against the schema', () => {
  test('an update with an invented field throws inside the test', async () => {
    await using world = await openTelegram();

    expect(() => world.fake.pushUpdate({ update_id: 1, mesage: {} })).toThrow(
      'the schema does not have this Update: Update: mesage is not in the schema',
    );
    expect(() => world.fake.userSends({ chatId: 5, text: 'x', fields: { thumb: 1 } })).toThrow(
      'thumb is not in the schema',
    );
    expect(() => world.fake.addChat({ id: 5, type: 'private', colour: 'red' })).toThrow(
      'colour is not in the schema',
    );
  });

  test('a recorded update of an older version can be pushed unchecked', async () => {
    await using world = await openTelegram();

    world.fake.pushUpdate({ update_id: 77, message: { thumb: 1 } }, { checked: false });

    expect(await world.api.getUpdates()).toEqual([{ update_id: 77, message: { thumb: 1 } }]);
  });
});
