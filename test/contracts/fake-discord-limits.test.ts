/** What runs out on the fake Discord: rate limits, interaction tokens, attachment links. */
import { describe, expect, test } from 'vitest';
import { ada, barePost, bareRequest, bob, discordSchema, quietDiscord } from '../support/discord.ts';

const check = test.skipIf(discordSchema.missing);

describe('limits', () => {
  const limitHeaders = (response: Response) =>
    ['limit', 'remaining', 'reset', 'reset-after'].map((name) => response.headers.get(`x-ratelimit-${name}`));

  check('the sixth message in five seconds waits, another channel does not', async () => {
    await using here = await quietDiscord();
    const other = here.discord.addDm(bob);
    const first = await barePost(here.discord, here.messages, { content: 'x' });
    for (let index = 0; index < 4; index += 1) await barePost(here.discord, here.messages, { content: 'x' });
    here.clock.ms += 1500;

    const sixth = await barePost(here.discord, here.messages, { content: 'x' });
    const elsewhere = await barePost(here.discord, `/channels/${other.id}/messages`, { content: 'x' });
    here.clock.ms += 3500;
    const later = await barePost(here.discord, here.messages, { content: 'x' });

    expect(limitHeaders(first)).toEqual(['5', '4', '1800000005.000', '5.000']);
    expect([sixth.status, elsewhere.status, later.status]).toEqual([429, 200, 200]);
    expect(await sixth.json()).toEqual({
      message: 'You are being rate limited.',
      retry_after: 3.5,
      global: false,
    });
    expect([sixth.headers.get('retry-after'), sixth.headers.get('x-ratelimit-scope')]).toEqual(['4', 'user']);
    expect(sixth.headers.get('x-ratelimit-bucket')).toBe(first.headers.get('x-ratelimit-bucket'));
  });

  check('the 51st request in a second meets the global limit, interaction callbacks do not', async () => {
    await using here = await quietDiscord();
    const channels = Array.from({ length: 10 }, (_, index) =>
      here.discord.addDm({ id: String(900 + index), username: `user${index}` }),
    );
    for (const channel of channels)
      for (let index = 0; index < 5; index += 1)
        await barePost(here.discord, `/channels/${channel.id}/messages`, { content: 'x' });

    const response = await bareRequest(here.discord, { path: '/users/@me' });
    const callback = await barePost(here.discord, '/interactions/1/none/callback', { type: 5 });

    expect(response.status).toBe(429);
    expect([response.headers.get('x-ratelimit-global'), response.headers.get('x-ratelimit-scope')]).toEqual([
      'true',
      'global',
    ]);
    expect(await response.json()).toMatchObject({ global: true, retry_after: 1 });
    expect(callback.status).toBe(404);
  });

  check('lifted limits still come with generous headers', async () => {
    await using here = await quietDiscord({ liftRateLimits: true });
    const responses = [];
    for (let index = 0; index < 60; index += 1)
      responses.push(await barePost(here.discord, here.messages, { content: 'x' }));

    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    expect(responses.at(-1)?.headers.get('x-ratelimit-remaining')).toBe('9999');
  });

  check('too many invalid requests ban the address, and the ban answers with HTML', async () => {
    await using here = await quietDiscord({ invalidRequestLimit: 3 });
    for (let index = 0; index < 3; index += 1)
      await bareRequest(here.discord, { path: '/users/@me', token: 'wrong' });

    const banned = await bareRequest(here.discord, { path: '/users/@me' });
    here.clock.ms += 10 * 60_000;
    const later = await bareRequest(here.discord, { path: '/users/@me' });

    expect([banned.status, banned.headers.get('content-type')]).toEqual([429, 'text/html']);
    expect(later.status).toBe(200);
  });
});

describe('interactions', () => {
  async function asked() {
    const here = await quietDiscord();
    const { discord, direct } = here;
    await bareRequest(discord, {
      method: 'PUT',
      path: `/applications/${discord.applicationId}/commands`,
      body: [{ name: 'ask', description: 'Ask' }],
    });
    const interaction = discord.userInvokes({ channelId: direct.id, user: ada, name: 'ask' });
    const callback = `/interactions/${interaction.id}/${interaction.token}/callback`;
    const original = `/webhooks/${discord.applicationId}/${interaction.token}/messages/@original`;
    return { ...here, callback, original };
  }

  check('an answer after three seconds is too late', async () => {
    await using here = await asked();
    here.clock.ms += 3001;

    const response = await barePost(here.discord, here.callback, { type: 5 });

    expect([response.status, await response.json()]).toEqual([
      404,
      { message: 'Unknown interaction', code: 10062 },
    ]);
  });

  check('a second first answer is refused', async () => {
    await using here = await asked();

    const first = await barePost(here.discord, here.callback, { type: 4, data: { content: 'yes' } });
    const second = await barePost(here.discord, here.callback, { type: 4, data: { content: 'yes' } });

    expect([first.status, second.status]).toEqual([204, 400]);
    expect(await second.json()).toMatchObject({ code: 40060 });
    expect(here.discord.sent(here.direct.id)).toHaveLength(1);
  });

  check('the token dies after fifteen minutes', async () => {
    await using here = await asked();
    await barePost(here.discord, here.callback, { type: 5 });
    here.clock.ms += 15 * 60_000 + 1;

    const response = await bareRequest(here.discord, {
      method: 'PATCH',
      path: here.original,
      body: { content: 'late' },
    });

    expect([response.status, await response.json()]).toEqual([
      401,
      { message: 'Invalid Webhook Token', code: 50027 },
    ]);
  });

  check('a command takes no autocomplete answer', async () => {
    await using here = await asked();

    const response = await barePost(here.discord, here.callback, { type: 8, data: { choices: [] } });

    expect(response.status).toBe(400);
  });
});

check('an attachment link dies after a day, and reading the message again gives a fresh one', async () => {
  await using here = await quietDiscord();
  const bytes = Buffer.from('picture');
  here.discord.userSends({
    channelId: here.direct.id,
    author: ada,
    content: '',
    attachments: [{ filename: 'a.png', contentType: 'image/png', bytes }],
  });
  const link = async () =>
    (
      (await (await bareRequest(here.discord, { path: here.messages })).json()) as {
        attachments: { url: string }[];
      }[]
    )[0]?.attachments[0]?.url ?? '';
  const early = await link();
  here.clock.ms += 25 * 60 * 60_000;

  const [dead, fresh] = [await fetch(early), await fetch(await link())];

  expect([dead.status, fresh.status]).toEqual([404, 200]);
  expect(await fresh.text()).toBe('picture');
});
