/** Files that people send on Discord, from their arrival to the model: copied at once, since their links die. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeDiscord, type FakeDiscord, type ScriptRequest } from '@palimpsest/testkit';
import { discordAdapterOf } from '../support/discord-adapter.ts';
import { png } from '../support/media.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const schema = sharedPath('discord/openapi.json');
const ada = { id: '700000000000000001', username: 'ada' };
const twoDaysMs = 2 * 24 * 60 * 60_000;
const picture = { filename: 'pier.png', contentType: 'image/png', bytes: png() };

describe.skipIf(schema.missing)('files on Discord', () => {
  let discord: FakeDiscord;
  let channelId: string;
  let prompts: ScriptRequest[];
  let nowMs: number;

  beforeEach(async () => {
    prompts = [];
    nowMs = Date.now();
    const clock = { now: () => nowMs };
    discord = await startFakeDiscord({ schemaPath: schema.path, liftRateLimits: true, clock });
    channelId = discord.addDm(ada).id;
  });

  afterEach(async () => {
    const { violations } = discord;
    await discord.close();
    expect(violations).toEqual([]);
  });

  async function open(config = '') {
    const world = await openTurnWorld({
      script: (request) => {
        prompts.push(request);
        return { text: 'I see.' };
      },
      config: `platforms: {discord: {allowed_users: ['${ada.id}']}}\n${config}`,
      adapters: [discordAdapterOf(discord)],
    });
    await until(() => discord.connected === 1);
    return world;
  }
  const says = (content: string, attachments: (typeof picture)[] = []) =>
    discord.userSends({ channelId, author: ada, content, attachments });
  const heard = async (count: number) => {
    await until(() => discord.sent(channelId).length >= count);
    return discord.sent(channelId).map(({ content }) => content);
  };

  test('G24 a picture is seen by the model, and two days later, when its link is dead, still', async () => {
    await using world = await open();

    const { id } = says('what is this?', [picture]);
    expect(await heard(1)).toEqual(['I see.']);
    nowMs += twoDaysMs;
    says('are you sure?');
    await heard(2);

    const image = png().toString('base64');
    expect(prompts.map(({ raw }) => JSON.stringify(raw).includes(image))).toEqual([true, true]);
    // Once, at its arrival: nobody asked for the message or its file again.
    expect(discord.requests.filter(({ path }) => path.includes(id))).toEqual([]);
    expect(world.model.violations).toEqual([]);
  });

  test('of a file over the limit the person is told the limit, the model too', async () => {
    await using _world = await open('media: {max_megabytes: 1}');
    const bytes = Buffer.alloc(1024 * 1024 + 1);

    says('read this', [{ filename: 'film.txt', contentType: 'text/plain', bytes }]);

    expect([...(await heard(2))].sort()).toEqual([
      'I see.',
      'ℹ️ That file is too large for me: I can take up to 1 MB. Please send a smaller one, or the part that matters.',
    ]);
    expect(JSON.stringify(prompts[0]!.raw)).toContain(
      'it is larger than 1 MB and was not taken; the person was told',
    );
  });
});
