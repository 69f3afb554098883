import { join } from 'node:path';
import { systemClock } from '@palimpsest/core';
import { createDiscordAdapter } from '@palimpsest/platforms';
import { startFakeDiscord } from '@palimpsest/testkit';
import type { Counterpart, CounterpartOptions } from './counterpart.ts';

/** Ids as Discord makes them: snowflakes. */
const person = { id: '700000000000000001', username: 'replay' };
/** discord.js holds itself to 50 requests a second; lifted together with the counterpart's own limits. */
const liftedRequestsPerSecond = 100_000;

export async function discordCounterpart(options: CounterpartOptions): Promise<Counterpart> {
  const schemaPath = join(options.schemas, 'discord', 'openapi.json');
  const server = await startFakeDiscord({ schemaPath, liftRateLimits: options.liftRateLimits });
  const dm = server.addDm(person);
  const adapter = createDiscordAdapter({
    token: server.token,
    apiRoot: server.restApi,
    backfillPoints: (account) => options.store.intake.backfillPoints(account),
    restRequestsPerSecond: options.liftRateLimits ? liftedRequestsPerSecond : undefined,
    logger: options.logger,
    meter: options.meter,
    clock: systemClock,
  });
  let heard: () => void = () => {};
  const timer = watchSent(
    () => server.sent(dm.id).length,
    () => heard(),
  );
  return {
    account: adapter.listener.account,
    place: { chatId: dm.id, threadId: '', kind: 'direct' },
    person: { id: person.id, name: person.username, isBot: false },
    adapter,
    async say(text) {
      // A bot cannot list its direct chats: the very first message of one must find it connected.
      while (!server.connected) await new Promise((resolve) => setTimeout(resolve, 10));
      await server.userSends({ channelId: dm.id, author: person, content: text });
    },
    heard: () => server.sent(dm.id).map((message) => message.content),
    onHeard: (listener) => {
      heard = listener;
    },
    violations: () => server.violations,
    async close() {
      clearInterval(timer);
      await server.close();
    },
  };
}

/** The fake has no listener for sends, so its list is looked at. */
function watchSent(count: () => number, changed: () => void): NodeJS.Timeout {
  let seen = 0;
  return setInterval(() => {
    if (count() === seen) return;
    seen = count();
    changed();
  }, 5);
}
