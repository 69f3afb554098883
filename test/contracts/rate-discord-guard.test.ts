/** Refused requests lead to a ban of the address; the adapter stops before. */
import { describe, expect, test } from 'vitest';
import { adapterWorld, partFor } from '../support/discord-adapter.ts';
import { ada, discordSchema } from '../support/discord.ts';

const messages = 'POST /channels/{channel_id}/messages';
const { signal } = new AbortController();

describe.skipIf(discordSchema.missing)('the guard against a ban', () => {
  test('after too many refused requests in ten minutes nothing is asked until the oldest are forgotten', async () => {
    let nowMs = Date.UTC(2026, 10, 30);
    const clock = { now: () => new Date(nowMs), sleep: async () => {} };
    await using world = await adapterWorld({ adapter: { mostInvalidRequests: 2, clock } });
    const direct = world.discord.addDm(ada);
    const send = (nonce: string) => world.sender.send(partFor(direct.id, { nonce }), signal);
    for (const nonce of ['n1', 'n2']) {
      world.discord.failNext(messages, { status: 403, body: { message: 'Missing Access', code: 50_001 } });
      expect(await send(nonce)).toMatchObject({ kind: 'unreachable' });
      nowMs += 60_000;
    }
    const asked = world.discord.requests.length;

    expect(await send('n3')).toEqual({ kind: 'wait', waitMs: 8 * 60_000, scope: 'account' });
    await world.sender.typing({ chatId: direct.id, threadId: '', kind: 'direct' });
    expect(world.discord.requests.length).toBe(asked);
    expect(world.meter.counts.get('gateway_discord_invalid_requests_total{status=403}')).toBe(2);

    nowMs += 8 * 60_000;
    expect(await send('n3')).toMatchObject({ kind: 'sent' });
  });

  test.each([
    ['user', 1],
    ['shared', undefined],
  ] as const)(
    'a limit of scope %s counts as %j: those that other bots share are not our fault',
    async (scope, count) => {
      await using world = await adapterWorld();
      const direct = world.discord.addDm(ada);
      world.discord.limitNext(messages, 7, scope);

      expect(await world.sender.send(partFor(direct.id), signal)).toMatchObject({ kind: 'wait' });

      expect(world.meter.counts.get('gateway_discord_invalid_requests_total{status=429}')).toBe(count);
    },
  );
});
