/** Slash commands of Discord: the sign that waits, the answer in its place, and when they are deployed. */
import { describe, expect, test } from 'vitest';
import { parseConfig, type CommandMenu } from '@palimpsest/core';
import type { ModelScript } from '@palimpsest/testkit';
import { menuCommands } from '@palimpsest/turn';
import { menuFor } from '../../apps/cli/src/create-adapters.ts';
import { ada, bob, discordSchema, startDiscord } from '../support/discord.ts';
import { adapterWorld, applicationId, discordAdapterOf, partFor } from '../support/discord-adapter.ts';
import { openTestStore } from '../support/open-test-store.ts';
import { openTurnWorld, pause } from '../support/turn-world.ts';

const botToken = 'MTAyNzY3MjIwNjI0MDAyMjgzMA.fake.token';
const deployment = `/applications/${applicationId}/commands`;

function menuInMemory(): CommandMenu & { told: Map<string, string> } {
  const told = new Map<string, string>();
  return {
    told,
    commands: menuCommands(() => true),
    admins: [],
    lastTold: async (name) => told.get(name) ?? null,
    remember: async (name, value) => void told.set(name, value),
  };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it did not come to that');
    await pause();
  }
}

/** The whole path with Discord; Ada may talk to the bot. */
async function slashWorld(script: ModelScript = () => ({ text: 'Noted.' })) {
  const discord = await startDiscord({ token: botToken, applicationId, liftRateLimits: true });
  const direct = discord.addDm(ada);
  const adapter = discordAdapterOf(discord, { menu: menuInMemory() });
  const config = `platforms: {discord: {allowed_users: ['${ada.id}']}}`;
  const world = await openTurnWorld({ script, config, adapters: [adapter] });
  const isDeployed = (): boolean =>
    discord.requests.some(
      ({ method, path, status }) => method === 'PUT' && path === deployment && status === 200,
    );
  await until(isDeployed);
  const slash = (name: string, text?: string, channelId = direct.id) =>
    discord.userInvokes({
      channelId,
      user: ada,
      name,
      ...(text === undefined ? {} : { options: [{ name: 'text', type: 3, value: text }] }),
    });
  return {
    world,
    discord,
    direct,
    slash,
    texts: (channelId = direct.id) => discord.sent(channelId).map((message) => message.content),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      const { violations } = discord;
      await discord.close();
      expect(violations).toEqual([]);
    },
  };
}

describe.skipIf(discordSchema.missing)('slash commands on Discord', () => {
  test('G28 commands are deployed once for an unchanged definition over ten restarts, and again when it changed', async () => {
    await using kept = await openTestStore();
    const { operators } = kept.store;
    const deployments = async (yaml: string, starts: number): Promise<number> => {
      const menu = menuFor({ config: parseConfig(yaml, 'test') }, 'discord', operators);
      await using world = await adapterWorld({ adapter: { menu } });
      for (let start = 1; start <= starts; start++) {
        const run = await world.listen();
        const name = `discord-commands-${applicationId}`;
        await until(async () => (await operators.lastTold(name)) !== null);
        await run.stop();
      }
      return world.discord.requests.filter(({ method, path }) => method === 'PUT' && path === deployment)
        .length;
    };

    expect(await deployments('', 10)).toBe(1);
    await operators.tellOnce(`discord-commands-${applicationId}`, 'an older definition');
    const menu = menuFor({ config: parseConfig('', 'test') }, 'discord', operators);
    await using again = await adapterWorld({ adapter: { menu } });
    await again.listen();
    await until(
      async () => (await operators.lastTold(`discord-commands-${applicationId}`)) !== 'an older definition',
    );
    expect(again.discord.requests.filter(({ path }) => path === deployment)).toHaveLength(1);
  });

  test('what could not be deployed is deployed at the next start, and listening goes on', async () => {
    const menu = menuInMemory();
    await using world = await adapterWorld({ adapter: { menu } });
    world.discord.failNext(`PUT ${deployment}`, { status: 400, body: { message: 'no', code: 50035 } });
    const run = await world.listen();
    await until(() => world.logger.lines.some((line) => line.startsWith('slash commands were not deployed')));
    await run.stop();

    await world.listen();

    await until(() => menu.told.size === 1);
  });

  test('a slash command is acknowledged although the database is away, and stored once it is back', async () => {
    await using world = await adapterWorld({ adapter: { menu: menuInMemory() } });
    const direct = world.discord.addDm(ada);
    await world.listen();
    await until(() =>
      world.discord.requests.some(({ path, status }) => path === deployment && status === 200),
    );
    world.memory.failures = 2;

    const interaction = world.discord.userInvokes({ channelId: direct.id, user: ada, name: 'whoami' });

    await until(() => interaction.answeredWith === 5);
    expect(world.memory.texts()).toEqual([]);
    await world.memory.until(() => world.memory.texts().length === 1);
    expect(world.memory.contents('message')[0]).toMatchObject({
      chat: { chatId: direct.id, kind: 'direct' },
      sender: { id: ada.id },
      messageId: interaction.id,
      command: { name: 'whoami', argument: '' },
      addressed: true,
    });
  });

  test('the answer takes the place of the sign that waits; nothing else is written', async () => {
    await using it = await slashWorld();

    it.slash('whoami');

    await until(() => it.texts().length === 1);
    expect(it.texts()).toEqual([
      `ℹ️ You are ${ada.id} on discord, bot account ${applicationId}, chat ${it.direct.id} (direct).`,
    ]);
    expect(it.discord.sent(it.direct.id)[0]).toMatchObject({ allowedMentions: { parse: [] } });
    expect(it.discord.history(it.direct.id)).toHaveLength(1);
  });

  test('whoever uses Discord in German is answered in German, in notices afterwards too', async () => {
    await using it = await slashWorld(() => ({ fault: 'auth' }));

    it.discord.userInvokes({ channelId: it.direct.id, user: ada, name: 'title', locale: 'de' });
    await until(() => it.texts()[0]?.startsWith('ℹ️') ?? false);
    it.discord.userSends({ channelId: it.direct.id, author: ada, content: 'Wann fährt die Fähre?' });
    await until(() => it.texts().length === 2);

    expect(it.texts()).toEqual([
      'ℹ️ Dieses Gespräch hat noch keinen Titel; /title TEXT gibt ihm einen.',
      expect.stringMatching(/^ℹ️ Das Modell lässt sich so, wie es eingerichtet ist, nicht benutzen\./),
    ]);
  });

  test('the text of a slash command is its argument, in a server too', async () => {
    await using it = await slashWorld();
    const guild = it.discord.addGuild({ members: [ada] });
    const channel = it.discord.addTextChannel({ guildId: guild.id });

    it.slash('title', 'Ferry times', channel.id);

    await until(() => it.texts(channel.id).length === 1);
    expect(it.texts(channel.id)).toEqual(['ℹ️ This conversation is called “Ferry times” from now on.']);
    expect(() => it.slash('resume', '1', channel.id)).not.toThrow();
    await until(() => it.texts(channel.id).length === 2);
    expect(it.texts(channel.id)[1]).toContain('/resume works only in direct messages');
  });

  test('/status, /queue and /stop are answered in their place while a turn runs', async () => {
    await using it = await slashWorld(async ({ index }) => {
      if (index === 0) await new Promise((resolve) => setTimeout(resolve, 2_500));
      return { text: 'Noted.' };
    });
    it.discord.userSends({ channelId: it.direct.id, author: ada, content: 'think long' });
    await until(() => it.world.model.requests.length === 1);

    for (const name of ['status', 'queue', 'stop']) it.slash(name);

    await until(() => it.texts().some((text) => text.includes('being stopped')));
    expect(it.texts()).toContainEqual(expect.stringContaining('An answer is being written'));
    expect(it.texts()).toContainEqual(expect.stringContaining('Nothing waits.'));
    await until(() => it.texts().includes('ℹ️ Stopped.'));
  });

  test('whoever is not served gets no answer, and no sign that waits stays behind', async () => {
    await using it = await slashWorld();
    const guild = it.discord.addGuild({ members: [ada, bob] });
    const channel = it.discord.addTextChannel({ guildId: guild.id });

    it.discord.userInvokes({ channelId: channel.id, user: bob, name: 'help' });

    await until(async () => (await it.world.store.operators.denied(5)).length === 1);
    await until(() =>
      it.discord.requests.some(({ method, status }) => method === 'DELETE' && status === 204),
    );
    expect(it.discord.history(channel.id)).toEqual([]);
    expect(await it.world.store.operators.denied(5)).toMatchObject([
      { senderId: bob.id, reason: 'not_allowlisted' },
    ]);
  });

  test('an answer whose receipt was lost is the same edit again', async () => {
    await using it = await slashWorld();
    it.discord.dropAnswerNext('PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original');

    it.slash('whoami');

    const edits = () => it.discord.requests.filter(({ method }) => method === 'PATCH');
    await until(
      () =>
        edits()
          .map(({ status }) => status)
          .join() === '0,200',
    );
    await until(() => it.texts().length === 1);
    expect(it.discord.history(it.direct.id)).toHaveLength(1);
  });

  test.each([
    ['after a quarter of an hour', Date.now() - 1],
    ['whose token Discord no longer knows', Date.now() + 60_000],
  ])('an answer %s is an ordinary message', async (_when, expiresAtMs) => {
    await using world = await adapterWorld();
    const direct = world.discord.addDm(ada);
    const interaction = { id: '1', applicationId, token: 'over', expiresAtMs };

    const sent = await world.sender.send(
      partFor(direct.id, { text: 'late', interaction }),
      AbortSignal.timeout(5_000),
    );

    expect(sent.kind).toBe('sent');
    expect(world.discord.sent(direct.id).map(({ content, nonce }) => [content, nonce])).toEqual([
      ['late', 'nonce-1'],
    ]);
  });
});
