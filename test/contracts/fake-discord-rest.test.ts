/** The fake Discord's REST interface: history, sending and refusals, asked with bare requests. */
import { describe, expect, test } from 'vitest';
import { ada, barePost, bareRequest, discordSchema, quietDiscord } from '../support/discord.ts';

const check = test.skipIf(discordSchema.missing);

describe('history', () => {
  const contents = async (response: Response) =>
    ((await response.json()) as { content: string }[]).map((message) => message.content);

  async function withFive() {
    const here = await quietDiscord();
    const ids = ['a', 'b', 'c', 'd', 'e'].map(
      (content) => here.discord.userSends({ channelId: here.direct.id, author: ada, content }).id,
    );
    return { ...here, ids };
  }

  check('comes newest first', async () => {
    await using here = await withFive();

    const response = await bareRequest(here.discord, { path: `${here.messages}?limit=2` });

    expect(await contents(response)).toEqual(['e', 'd']);
  });

  check('after gives the messages that follow next, newest first', async () => {
    await using here = await withFive();

    const response = await bareRequest(here.discord, {
      path: `${here.messages}?limit=2&after=${here.ids[1]}`,
    });

    expect(await contents(response)).toEqual(['d', 'c']);
  });

  check('before gives the messages just before', async () => {
    await using here = await withFive();

    const response = await bareRequest(here.discord, {
      path: `${here.messages}?limit=2&before=${here.ids[3]}`,
    });

    expect(await contents(response)).toEqual(['c', 'b']);
  });

  check('a limit over 100 is refused', async () => {
    await using here = await withFive();

    const response = await bareRequest(here.discord, { path: `${here.messages}?limit=101` });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 50035,
      errors: { limit: { _errors: [{ code: 'NUMBER_TYPE_MAX' }] } },
    });
  });

  check('has no guild_id, no member and no channel_type', async () => {
    await using here = await withFive();

    const [first] = (await (await bareRequest(here.discord, { path: here.messages })).json()) as Record<
      string,
      unknown
    >[];

    expect(
      Object.keys(first ?? {}).filter((key) => ['guild_id', 'member', 'channel_type'].includes(key)),
    ).toEqual([]);
    expect(first).toMatchObject({
      author: { id: ada.id },
      edited_timestamp: null,
      timestamp: '2027-01-15T08:00:00.000000+00:00',
    });
  });
});

describe('sending', () => {
  check('the same nonce within minutes returns the first message', async () => {
    await using here = await quietDiscord();
    const body = { content: 'first', nonce: 'n-1', enforce_nonce: true };

    const first = (await (await barePost(here.discord, here.messages, body)).json()) as { id: string };
    here.clock.ms += 4 * 60_000;
    const second = (await (
      await barePost(here.discord, here.messages, { ...body, content: 'second' })
    ).json()) as {
      id: string;
      content: string;
    };

    expect(second).toMatchObject({ id: first.id, content: 'first' });
    expect(here.discord.sent(here.direct.id)).toHaveLength(1);
  });

  check('after the window, or without enforce_nonce, the same nonce makes a second message', async () => {
    await using here = await quietDiscord();
    const body = { content: 'again', nonce: 'n-1', enforce_nonce: true };

    await barePost(here.discord, here.messages, body);
    await barePost(here.discord, here.messages, { ...body, enforce_nonce: false });
    here.clock.ms += 6 * 60_000;
    await barePost(here.discord, here.messages, body);

    expect(here.discord.sent(here.direct.id)).toHaveLength(3);
  });

  check('2000 emoji are accepted, 2001 are not', async () => {
    await using here = await quietDiscord();

    const fits = await barePost(here.discord, here.messages, { content: '😀'.repeat(2000) });
    const tooLong = await barePost(here.discord, here.messages, { content: '😀'.repeat(2001) });

    expect([fits.status, tooLong.status]).toEqual([200, 400]);
    expect(await tooLong.json()).toEqual({
      message: 'Invalid Form Body',
      code: 50035,
      errors: {
        content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }] },
      },
    });
    expect(here.discord.violations).toEqual([]);
  });

  check('a text of white space is empty', async () => {
    await using here = await quietDiscord();

    const response = await barePost(here.discord, here.messages, { content: ' \n ' });

    expect([response.status, await response.json()]).toEqual([
      400,
      { message: 'Cannot send an empty message', code: 50006 },
    ]);
  });

  check('a field that Discord does not know is a violation although the message is sent', async () => {
    await using here = await quietDiscord();

    const response = await barePost(here.discord, here.messages, {
      content: 'hi',
      allowed_mention: { parse: [] },
    });

    expect(response.status).toBe(200);
    expect(here.discord.violations).toEqual([
      'rest: POST /channels/{channel_id}/messages: the body has the unknown field "allowed_mention"',
    ]);
  });

  check('a field of the wrong type is refused and a violation', async () => {
    await using here = await quietDiscord();

    const response = await barePost(here.discord, here.messages, { content: 12 });

    expect(response.status).toBe(400);
    expect(here.discord.violations).toEqual([
      'rest: POST /channels/{channel_id}/messages: /content must be string,null',
    ]);
  });

  check('everybody in the text is pinged unless allowed_mentions says less', async () => {
    await using here = await quietDiscord();
    const content = `@everyone <@${ada.id}>`;

    await barePost(here.discord, here.messages, { content });
    await barePost(here.discord, here.messages, { content, allowed_mentions: { parse: [] } });

    expect(here.discord.sent(here.direct.id).map((sent) => sent.pings)).toEqual([
      { everyone: true, userIds: [ada.id], roleIds: [] },
      { everyone: false, userIds: [], roleIds: [] },
    ]);
  });

  check('a reply to a message that is gone is refused unless it may fail', async () => {
    await using here = await quietDiscord();
    const reply = (mayFail: boolean) => ({
      content: 'yes',
      message_reference: { message_id: '5', fail_if_not_exists: !mayFail },
    });

    const strict = await barePost(here.discord, here.messages, reply(false));
    const loose = await barePost(here.discord, here.messages, reply(true));

    expect([strict.status, loose.status]).toEqual([400, 200]);
    expect(await strict.json()).toMatchObject({
      code: 50035,
      errors: { message_reference: { _errors: [{ code: 'REPLIES_UNKNOWN_MESSAGE' }] } },
    });
  });

  check('waiting for a message tells after the time-out how many others came', async () => {
    await using here = await quietDiscord();
    await barePost(here.discord, here.messages, { content: 'other' });

    await expect(here.discord.waitForSent((sent) => sent.content === 'wanted', 10)).rejects.toThrow(
      'The bot sent no fitting message in 10 ms; it sent 1 others',
    );
  });
});

describe('refusals', () => {
  const cases: [string, string, string, number, number][] = [
    ['a channel that does not exist', 'POST', '/channels/5/messages', 404, 10003],
    ['a message that does not exist', 'PATCH', '/channels/{dm}/messages/5', 404, 10008],
    ["another's message", 'PATCH', '/channels/{dm}/messages/{theirs}', 403, 50005],
    ['an id that is no number', 'POST', '/channels/abc/messages', 400, 50035],
    ['a direct channel with nobody', 'POST', '/users/@me/channels', 400, 50035],
  ];

  check.for(cases)('%s: %s %s', async ([, method, path, status, code]) => {
    await using here = await quietDiscord();
    const theirs = here.discord.userSends({ channelId: here.direct.id, author: ada, content: 'mine' });
    const body = path === '/users/@me/channels' ? { recipient_id: '5' } : { content: 'x' };

    const response = await bareRequest(here.discord, {
      method,
      path: path.replace('{dm}', here.direct.id).replace('{theirs}', theirs.id),
      body,
    });

    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ code })]);
  });

  check('a wrong token', async () => {
    await using here = await quietDiscord();

    const response = await bareRequest(here.discord, { path: '/users/@me', token: 'wrong' });

    expect([response.status, await response.json()]).toEqual([
      401,
      { message: '401: Unauthorized', code: 0 },
    ]);
  });

  check('an unknown path is a violation', async () => {
    await using here = await quietDiscord();

    const response = await bareRequest(here.discord, { path: '/channels/5/massages' });

    expect(response.status).toBe(404);
    expect(here.discord.violations).toEqual(['rest: GET /channels/5/massages does not exist on Discord']);
  });

  check('an archived and locked thread', async () => {
    await using here = await quietDiscord();
    const guild = here.discord.addGuild();
    const channel = here.discord.addTextChannel({ guildId: guild.id });
    const thread = here.discord.addThread({ parentId: channel.id, archived: true, locked: true });

    const response = await barePost(here.discord, `/channels/${thread.id}/messages`, { content: 'x' });

    expect([response.status, await response.json()]).toEqual([
      403,
      { message: 'Thread is locked', code: 160005 },
    ]);
  });

  check('whatever the test ordered, once', async () => {
    await using here = await quietDiscord();
    here.discord.failNext(`POST ${here.messages}`, {
      status: 403,
      body: { message: 'Cannot send messages to this user', code: 50007 },
    });

    const first = await barePost(here.discord, here.messages, { content: 'x' });
    const second = await barePost(here.discord, here.messages, { content: 'x' });

    expect([first.status, second.status]).toEqual([403, 200]);
    expect(here.discord.sent(here.direct.id)).toHaveLength(1);
  });

  check('a dropped answer leaves the message sent and the caller without a word', async () => {
    await using here = await quietDiscord();
    here.discord.dropAnswerNext('POST /channels/{channel_id}/messages');

    await expect(barePost(here.discord, here.messages, { content: 'x' })).rejects.toThrow('fetch failed');

    expect(here.discord.sent(here.direct.id)).toHaveLength(1);
    expect(here.discord.requests.at(-1)?.status).toBe(0);
  });
});
