/** Which account a Discord token stands for, before anything is asked of Discord. */
import { silentLogger, silentMeter, systemClock } from '@palimpsest/core';
import { createDiscordAdapter } from '@palimpsest/platforms';
import { expect, test } from 'vitest';

function accountsOf(token: string) {
  const { listener, sender } = createDiscordAdapter({
    token,
    apiRoot: null,
    backfillPoints: async () => [],
    logger: silentLogger,
    meter: silentMeter,
    clock: systemClock,
  });
  void sender.close();
  return [listener.account, sender.account];
}

test('a token names its bot in its first part', () => {
  const expected = { platform: 'discord', id: '1027672206240022830' };

  expect(accountsOf('MTAyNzY3MjIwNjI0MDAyMjgzMA.Gabcde.secret')).toEqual([expected, expected]);
});

test('a token of another shape has a stable name that does not give it away', () => {
  const [first, second] = accountsOf('fake.discord.token');

  // sha256 of the token, its first 12 digits
  expect(first).toEqual({ platform: 'discord', id: 'unknown-e4061383602b' });
  expect(second).toEqual(first);
});
