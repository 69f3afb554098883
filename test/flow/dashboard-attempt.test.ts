/** What operators read of one attempt when they look at it, over HTTP, from rows on real Postgres. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, sessionWith } from '../support/compacted-sessions.ts';
import { ask } from '../support/dashboard.ts';
import { makePlan, someFigures, summaryPlan } from '../support/plans.ts';
import { startStorePages } from '../support/session-pages.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('what a summary changed in the one before it, and the rows that an attempt kept at both ends', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']);
  const { sessionId, ids } = session;
  const first = '## Goal\nTake the ferry\n## Done\nAsked\nTold\nLooked\nFound\nWrote\n## Next\nPay';
  const second = '## Goal\nTake the train\n## Done\nAsked\nTold\nLooked\nFound\nWrote\n## Next\nPay\nPack';
  const kept = (rows: number) => ({ figures: { ...someFigures, rowsProtected: rows } });
  await applyPlan(world, session, summaryPlan(ids.slice(2, 4), first, kept(6)));
  const live = await world.transcript.liveRows(sessionId);
  const former = live.find((row) => row.kind === 'summary')!;
  const attempt = await applyPlan(world, session, summaryPlan([former.id, ids[4]!], second, kept(5)));
  // More rows than stood there: where they stood is not told.
  const odd = await applyPlan(world, session, summaryPlan([ids[5]!], 'third', kept(9)));
  await using pages = await startStorePages(world);
  const path = `${pages.url}/api/sessions/${sessionId}/compactions`;

  const changes = (await ask(`${path}/${attempt}/changes`)).json();
  const keptRows = (await ask(`${path}/${attempt}/kept`)).json();

  expect(changes['changes']).toEqual([
    { fate: 'kept', lines: 1, text: '## Goal' },
    { fate: 'removed', lines: 1, text: 'Take the ferry' },
    { fate: 'added', lines: 1, text: 'Take the train' },
    { fate: 'kept', lines: 2, text: '## Done\nAsked' },
    { fate: 'kept', lines: 4, text: null },
    { fate: 'kept', lines: 2, text: '## Next\nPay' },
    { fate: 'added', lines: 1, text: 'Pack' },
  ]);
  expect(keptRows['kept']).toEqual({
    rows: 5,
    places: {
      head: { rows: 2, firstSeq: 1024, lastSeq: 2048 },
      between: null,
      tail: { rows: 3, firstSeq: 6144, lastSeq: 8192 },
    },
  });
  expect((await ask(`${path}/${odd}/kept`)).json()['kept']).toEqual({ rows: 9, places: null });
  expect((await ask(`${path}/${odd}/changes`)).json()['changes']).toBeNull();
});

test('an attempt that put no row aside tells of none that it kept', async () => {
  const session = await sessionWith(world, ['one', 'two']);
  const attempt = await applyPlan(world, session, makePlan({}));
  await using pages = await startStorePages(world);

  const kept = await ask(`${pages.url}/api/sessions/${session.sessionId}/compactions/${attempt}/kept`);

  expect(kept.json()['kept']).toBeNull();
});
