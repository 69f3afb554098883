/** What compactions of real turns left word for word, told by place: both ends and what lies between. */
import { expect, test, vi } from 'vitest';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

test.each([
  ['compressor', 'compression: {background: true}', 2],
  ['lcm', 'context: {engine: lcm, lcm: {leaf_chunk_tokens: 1500, fresh_tail_count: 6}}', 0],
])(
  '%s: plans made ahead keep the head and the newest rows, and the ledger counts the same ones',
  async (_engine, config, headRows) => {
    await using world = await openTurnWorld({ script: answering(), window: 16_000, config });
    await talk(world, 24);
    const sessionId = await world.sessionId();
    // What is made ahead may come to its end behind the last answer.
    const applied = await vi.waitFor(
      async () => {
        const ledger = await world.store.compactions.ledger({ sessionId, limit: 20 });
        const done = ledger.filter(({ figures }) => figures !== null);
        expect(done.length).toBeGreaterThan(1);
        return done;
      },
      { timeout: 30_000, interval: 100 },
    );

    const kept = await Promise.all(applied.map(({ id }) => world.store.boards.keptRows(sessionId, id)));

    for (const [index, row] of applied.entries()) {
      const { first, last } = row.archivedSeqs!;
      const { rows, places } = kept[index]!;
      expect(rows).toBe(row.figures!.rowsProtected);
      expect(places?.head?.rows ?? 0).toBe(headRows);
      expect(places?.head?.lastSeq ?? 0).toBeLessThan(first);
      expect(places?.between).toBeNull();
      expect(places!.tail!.firstSeq).toBeGreaterThan(last);
      expect(places!.tail!.rows).toBe(rows - headRows);
    }
  },
  90_000,
);
