import { LocalListener, LocalSender, localAccount } from '@palimpsest/platforms';
import type { ChatPlace } from '@palimpsest/core';
import type { Counterpart, CounterpartOptions } from './counterpart.ts';

const place: ChatPlace = { chatId: 'replay', threadId: '', kind: 'direct' };

export async function localCounterpart(options: CounterpartOptions): Promise<Counterpart> {
  const listener = new LocalListener();
  const heard: string[] = [];
  let lastId = 0;
  let tell: () => void = () => {};
  let reading: Promise<void> = Promise.resolve();
  async function read(): Promise<void> {
    for (const reply of await options.store.localChat.repliesAfter(place.chatId, lastId)) {
      lastId = reply.id;
      heard.push(reply.text);
    }
    tell();
  }
  const sender = new LocalSender(() => {
    reading = reading.then(read);
  });
  return {
    account: localAccount,
    place,
    person: { id: 'local', name: 'You', isBot: false },
    adapter: { listener, sender },
    say: async (text, index) => {
      await untilListening(listener);
      await listener.submit({
        chatId: place.chatId,
        messageId: `line-${index}`,
        text,
        senderId: 'local',
        senderName: 'You',
        sentAt: new Date(),
      });
    },
    heard: () => heard,
    onHeard: (callback) => {
      tell = callback;
    },
    violations: () => [],
    close: async () => reading,
  };
}

/** The listener takes messages as soon as the gateway holds its lease. */
async function untilListening(listener: LocalListener): Promise<void> {
  while (!listener.isListening()) await new Promise((resolve) => setTimeout(resolve, 5));
}
