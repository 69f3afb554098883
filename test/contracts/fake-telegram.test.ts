/** The fake Bot API server: strict about requests, honest about its own answers, faulty on demand. */
import { Api, HttpError, InputFile } from 'grammy';
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

    const body = JSON.stringify({ chat_id: 5, message_id: 1, reaction: [{ type: 'emojy', emoji: '👀' }] });
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
    expect(() => world.fake.userSends({ chatId: 5, text: 'x', fields: { thumb: 1 } })).toThrow('thumb is not in the schema');
    expect(() => world.fake.addChat({ id: 5, type: 'private', colour: 'red' })).toThrow('colour is not in the schema');
  });

  test('a recorded update of an older version can be pushed unchecked', async () => {
    await using world = await openTelegram();

    world.fake.pushUpdate({ update_id: 77, message: { thumb: 1 } }, { checked: false });

    expect(await world.api.getUpdates()).toEqual([{ update_id: 77, message: { thumb: 1 } }]);
  });
});

describe.skipIf(botApiSchema.missing)('faults', () => {
  test('a planned refusal is answered once, with its parameters, and nothing is done', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.failNext('sendMessage', {
      error_code: 429,
      description: 'Too Many Requests: retry after 13938',
      parameters: { retry_after: 13938 },
    });

    const refused = await world.api.sendMessage(5, 'one').catch((cause: unknown) => cause);
    await world.api.sendMessage(5, 'two');

    expect(refused).toMatchObject({ error_code: 429, parameters: { retry_after: 13938 } });
    expect(world.fake.sent(5).map(({ text }) => text)).toEqual(['two']);
  });

  test('a dropped answer leaves the message sent and the client without knowledge', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.dropAnswerNext('sendMessage');

    const outcome = await world.api.sendMessage(5, 'once').catch((cause: unknown) => cause);

    expect(outcome).toBeInstanceOf(HttpError);
    expect(world.fake.sent(5).map(({ text }) => text)).toEqual(['once']);
    expect(world.fake.requests[0]?.outcome).toBe('no_answer');
  });

  test('a cut line leaves nothing sent', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.refuseAnswerNext('sendMessage');

    const outcome = await world.api.sendMessage(5, 'never').catch((cause: unknown) => cause);

    expect(outcome).toBeInstanceOf(HttpError);
    expect(world.fake.sent(5)).toEqual([]);
  });

  test("a proxy's page instead of an answer does not look like a Bot API error", async () => {
    await using world = await openTelegram();
    world.fake.answerRawNext('any', 502, '<html>Bad Gateway</html>');

    const outcome = await world.api.getMe().catch((cause: unknown) => cause);

    expect(outcome).toBeInstanceOf(HttpError);
    expect(world.fake.requests[0]?.outcome).toBe('raw');
  });

  test('a held answer comes only after its release, though the message is there', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    const held = world.fake.holdNext('sendMessage');
    let answered = false;

    const sending = world.api.sendMessage(5, 'slow').then(() => {
      answered = true;
    });
    await held.reached;
    const before = { answered, visible: world.fake.sent(5).length };
    held.release();
    await sending;

    expect(before).toEqual({ answered: false, visible: 1 });
    expect(answered).toBe(true);
  });

  test('a delayed answer arrives', async () => {
    await using world = await openTelegram();
    world.fake.delayNext('getMe', 20);

    expect((await world.api.getMe()).id).toBe(7000000001);
  });

  test('blocked, kicked and migrated chats refuse as Telegram does', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.addChat({ id: -6, type: 'group' });
    world.fake.addChat({ id: -7, type: 'group', title: 'Team' });
    world.fake.setChatStatus(5, 'blocked');
    world.fake.setChatStatus(-6, 'kicked');
    world.fake.migrateChat(-7, -1007, 5);

    const migrated = await world.api.sendMessage(-7, 'x').catch((cause: unknown) => cause);
    const updates = await world.api.getUpdates();

    expect(await refusalOf(world.api.sendMessage(5, 'x'))).toEqual([403, 'Forbidden: bot was blocked by the user']);
    expect(await refusalOf(world.api.sendMessage(-6, 'x'))).toEqual([403, 'Forbidden: bot was kicked from the group chat']);
    expect(migrated).toMatchObject({
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1007 },
    });
    expect(updates.map(({ message }) => [message?.chat.id, message?.migrate_to_chat_id, message?.migrate_from_chat_id])).toEqual([
      [-7, -1007, undefined],
      [-1007, undefined, -7],
    ]);
    expect((await world.api.sendMessage(-1007, 'moved')).chat.title).toBe('Team');
  });

  test('a bot that never was written to cannot begin a conversation', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    world.fake.setChatStatus(5, 'not_started');

    expect(await refusalOf(world.api.sendMessage(5, 'x'))).toEqual([
      403,
      "Forbidden: bot can't initiate conversation with a user",
    ]);
  });
});
