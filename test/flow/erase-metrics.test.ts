/** Who asks for it is one thing: every erasure of a running service is in /metrics. */
import { type ErasedCounts, type EraseStore, type Lease } from '@palimpsest/core';
import { createMeter, measuredErase } from '@palimpsest/metrics';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { botApiSchema, openServiceWorld, until } from '../support/service-world.ts';

const nothing: ErasedCounts = { sessions: 0, messages: 0, quotes: 0, summaries: 0, payloads: 0, undone: 0 };

/** The samples of the two counters, in the order of the alphabet. */
const samplesIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('gateway_eras'))
    .toSorted();

const read = async (url: string): Promise<string> => (await fetch(url)).text();

describe.skipIf(botApiSchema.missing)('of a running service', { timeout: 120_000 }, () => {
  test('a person who leaves by /forget and a session that an operator erases are counted, with their messages', async () => {
    await using database = await createTestDatabase();
    await using world = await openServiceWorld({
      databaseUrl: database.url,
      script: () => ({ text: 'Noted.' }),
    });
    await world.start();
    world.telegram.userSends({ chatId: 1, text: 'the kingfisher nests at Brook Lane' });
    await until(() => expect(world.heard(1)).toHaveLength(1));
    world.telegram.userSends({ chatId: 1, text: '/forget' });
    await until(() => expect(world.heard(1)).toHaveLength(2));
    world.telegram.userSends({ chatId: 1, text: /\/forget [0-9A-F]{6}/.exec(world.heard(1)[1]!)![0] });
    await until(() => expect(world.heard(1)).toHaveLength(3));
    await world.post('1', 'the heron stands in the reeds');
    await until(async () => expect(await world.lines()).toHaveLength(2));

    const found = await read(`${world.url}/api/sessions?search=local`);
    const [{ id }] = (JSON.parse(found) as { sessions: [{ id: string }] }).sessions;
    const [, csrf = ''] = /data-csrf="([^"]+)"/.exec(await read(`${world.url}/sessions`)) ?? [];
    const erased = await fetch(`${world.url}/api/sessions/${id}/act`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: world.url, 'X-CSRF-Token': csrf },
      body: JSON.stringify({ act: 'erase', confirm: id.slice(-8) }),
    });

    expect(erased.status).toBe(200);
    const metrics = await read(`${world.url}/metrics`);
    expect(samplesIn(metrics)).toEqual([
      'gateway_erased_messages_total{scope="person"} 2',
      'gateway_erased_messages_total{scope="session"} 2',
      'gateway_erasures_total{scope="person",outcome="done"} 1',
      'gateway_erasures_total{scope="session",outcome="done"} 1',
    ]);
    // What is read from the database and from the config file is on the same page.
    expect(metrics).toMatch(/^gateway_sessions \d+$/m);
    expect(metrics).toMatch(/^gateway_config_last_reload_successful 1$/m);
  });
});

test('an erasure that found nothing and one that failed are told apart from one that erased', async () => {
  const meter = createMeter({ strict: true });
  const lost = new Error('the lease is lost');
  const store = {
    message: (_lease: Lease, { messageId }: { messageId: string }) =>
      messageId === '1' ? Promise.resolve({ ...nothing, messages: 1, quotes: 2 }) : Promise.resolve(nothing),
    person: () => Promise.reject(lost),
  } as unknown as EraseStore;
  const erase = measuredErase(store, meter);
  const lease: Lease = { sessionId: 's', epoch: 1, owner: 'w' };

  await erase.message(lease, { chatRowId: 1, messageId: '1' });
  await erase.message(lease, { chatRowId: 1, messageId: '2' });
  await expect(erase.person({ platform: 'local', userId: '1' })).rejects.toThrow(lost);

  expect(samplesIn(await meter.text())).toEqual([
    'gateway_erased_messages_total{scope="message"} 1',
    'gateway_erasures_total{scope="message",outcome="done"} 1',
    'gateway_erasures_total{scope="message",outcome="nothing"} 1',
    'gateway_erasures_total{scope="person",outcome="failed"} 1',
  ]);
});
