/** Queries that are meant for the database or the regular-expression engine instead of the search. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LcmGrep } from '@palimpsest/core';
import { lcmOf } from '../support/lcm.ts';
import {
  openStoreWorld,
  personRow,
  textsOf,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';

const secretOfAda = 'the walnut is under the stairs';

let world: StoreWorld;
let bob: TestSession;
beforeAll(async () => {
  world = await openStoreWorld();
  const ada = await world.newSession({ userId: 'ada' });
  await world.append(ada.lease, [personRow(secretOfAda)]);
  bob = await world.newSession({ userId: 'bob' });
  await world.append(bob.lease, [personRow('a pear of my own')]);
});
afterAll(() => world[Symbol.asyncDispose]());

const injections = [
  `walnut'; DROP TABLE messages; --`,
  `' OR '1'='1`,
  `') OR true --`,
  `walnut') UNION SELECT parts FROM messages --`,
  `$1`,
  `\\'; SELECT pg_sleep(10); --`,
  `walnut" | "pear`,
  `!nothing`,
  `walnut <-> stairs | !pear`,
  `a:* & !zzz`,
  `%`,
  `_`,
  `x' || (SELECT content FROM messages LIMIT 1) || '`,
  `\u0000walnut`,
  `session:${'x'.repeat(2_000)}`,
];

/** Texts of the messages that a query of Bob's finds. */
async function grep(query: string, mode: LcmGrep['mode']): Promise<string[]> {
  const wish = { query, mode, messages: true, summaries: true, limit: 20, sort: 'recency' } as const;
  const found = await lcmOf(world).grep({ sessionId: bob.sessionId }, wish);
  return found.kind === 'refused' ? [] : found.hits.map((hit) => `${hit.sessionId} ${hit.snippet}`);
}

describe('a query', () => {
  test.each(injections)('is only looked for, in one’s own messages: %j', async (query) => {
    const options = { limit: 10, neighbours: 2, liveOfOwnSession: true };
    const hits = await world.transcript.search({ sessionId: bob.sessionId }, query, options);
    const all = [
      ...textsOf(hits.map(({ row }) => row)),
      ...(await grep(query, 'full_text')),
      ...(await grep(query, 'regex')),
    ];

    expect(all.filter((text) => text.includes('walnut'))).toEqual([]);
  });

  test('leaves the tables as they were', async () => {
    expect(await world.query('SELECT count(*)::int AS count FROM messages')).toEqual([{ count: 2 }]);
  });

  test.each([
    '(a+)+$',
    '(a|aa)+$',
    '(.*)*x',
    '(a*)*b',
    `${'(a?)'.repeat(40)}${'a'.repeat(40)}`,
    '(?=(a+))a*b\\1',
    '[',
    '(',
    '*',
  ])(
    'that would keep a processor busy, or is no expression, is refused or over at once: %s',
    async (query) => {
      const session = await world.newSession();
      await world.append(session.lease, [personRow('a'.repeat(200_000))]);
      const wish = {
        query,
        mode: 'regex',
        messages: true,
        summaries: false,
        limit: 20,
        sort: 'recency',
      } as const;

      const found = await lcmOf(world).grep({ sessionId: session.sessionId }, wish);

      expect(['refused', 'found']).toContain(found.kind);
    },
    20_000,
  );
});
