/**
 * G7 Many sessions, several workers whose pauses outlast their leases: every message is answered once, in the order of its
 * session, and whoever was overtaken writes nothing.
 *
 * 200 sessions of 50 messages (some minutes):
 *   FUZZ_RUNS=1 npx vitest run --project integration test/integration/order-property.test.ts
 */
import { LeaseLost, type Store } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { answerRow, listsOfAll, messageUpdate, policy, render } from '../support/intake.ts';
import { openTestStore } from '../support/open-test-store.ts';

const isLong = process.env['FUZZ_RUNS'] !== undefined;
const size = isLong ? { sessions: 200, messages: 50 } : { sessions: 24, messages: 8 };
const leaseMs = 40;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** One message of a session: claimed, thought over for longer than the lease now and then, answered. */
async function work(
  store: Store,
  sessionId: string,
  owner: string,
): Promise<'overtaken' | 'answered' | 'nothing'> {
  const claim = await store.turns.claim(sessionId, owner, leaseMs);
  if (claim.kind !== 'claimed') return 'nothing';
  const { lease } = claim;
  try {
    const next = await store.turns.nextWork(lease, {
      maxTexts: 1,
      maxCharacters: 100_000,
      maxAttempts: 1_000,
      collect: false,
      lists: listsOfAll(),
      render,
    });
    if (next.kind === 'turn') {
      const { turn } = next;
      if (Math.random() < 0.2) await pause(leaseMs * 2);
      const [asked] = turn.mailbox;
      const text = asked?.content.kind === 'message' ? asked.content.message.text : '';
      await store.turns.finishTurn({
        lease,
        turnId: turn.id,
        outcome: 'answered',
        step: turn.lastStep + 1,
        rows: [answerRow(`to ${text}`)],
        usage: null,
        replies: [],
        events: [],
      });
    }
    // Somebody may have taken over by now; what is answered is answered.
    await store.turns.release(lease).catch(() => {});
    return next.kind === 'turn' ? 'answered' : 'nothing';
  } catch (thrown) {
    if (thrown instanceof LeaseLost) return 'overtaken';
    throw thrown;
  }
}

test('order and once, whatever the workers do', { timeout: isLong ? 1_800_000 : 120_000 }, async () => {
  await using world = await openTestStore();
  const { store } = world;
  const numbers = Array.from({ length: size.messages }, (_, index) => index + 1);
  const chats = Array.from({ length: size.sessions }, (_, index) => String(10_000 + index));
  for (const number of numbers)
    await store.intake.storeUpdates(
      policy({ waitForMoreMs: 0 }),
      chats.map((chatId, index) =>
        messageUpdate(number, `${number}`, {
          updateKey: `${chatId}-${number}`,
          messageId: `${index}-${number}`,
          chat: { chatId, threadId: '', kind: 'direct' },
        }),
      ),
    );
  let answered = 0;
  let overtaken = 0;

  async function worker(name: string): Promise<void> {
    for (;;) {
      const waiting = await store.sweep.sessionsToWake(500);
      if (answered === size.sessions * size.messages) return;
      const chosen = waiting[Math.floor(Math.random() * waiting.length)];
      if (chosen === undefined) await pause(leaseMs);
      else {
        const end = await work(store, chosen, name);
        if (end === 'answered') answered += 1;
        if (end === 'overtaken') overtaken += 1;
      }
    }
  }
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => worker(name)));

  const rows = await world.sql(
    `SELECT session_id, array_agg(parts -> 0 ->> 'text' ORDER BY seq) AS said FROM messages GROUP BY session_id`,
  );
  expect(rows).toHaveLength(size.sessions);
  const wanted = numbers.flatMap((number) => [`${number}`, `to ${number}`]);
  for (const { said } of rows) expect(said).toEqual(wanted);
  expect(overtaken).toBeGreaterThan(0);
});
