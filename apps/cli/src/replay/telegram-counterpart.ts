import { join } from 'node:path';
import { systemClock } from '@palimpsest/core';
import { createTelegramAdapter } from '@palimpsest/platforms';
import { startFakeTelegram } from '@palimpsest/testkit';
import type { Counterpart, CounterpartOptions } from './counterpart.ts';

const chatId = 700_001;

export async function telegramCounterpart(options: CounterpartOptions): Promise<Counterpart> {
  const schemaPath = join(options.schemas, 'telegram', 'bot-api.json');
  const server = await startFakeTelegram({ schemaPath, liftRateLimits: options.liftRateLimits });
  const adapter = createTelegramAdapter({
    token: server.token,
    apiRoot: server.apiRoot,
    mode: 'polling',
    webhookUrl: null,
    webhookSecret: null,
    logger: options.logger,
    meter: options.meter,
    clock: systemClock,
  });
  server.addChat({ id: chatId, type: 'private', first_name: 'Replay' });
  // One listener for good: one a wait would be called for every later message, and each call reads the whole chat.
  let tell: () => void = () => {};
  server.onSent(() => tell());
  return {
    account: adapter.listener.account,
    place: { chatId: String(chatId), threadId: '', kind: 'direct' },
    person: { id: String(chatId), name: 'Replay', isBot: false },
    adapter,
    say: async (text) => void server.userSends({ chatId, text }),
    heard: () => server.sent(chatId).map((message) => message.text),
    onHeard: (listener) => {
      tell = listener;
    },
    violations: () => server.violations,
    close: () => server.close(),
  };
}
