import type { MessageRow } from '@palimpsest/core';
import { assistantRow, personRow, type StoreWorld, type TestSession } from './store-world.ts';

/** A session in which "line 1", "line 2" and so on were said, the odd ones by the person. */
export async function spokenLines(
  world: StoreWorld,
  count: number,
): Promise<{ session: TestSession; rows: readonly MessageRow[] }> {
  const session = await world.newSession();
  const lines = Array.from({ length: count }, (_, index) =>
    (index % 2 === 0 ? personRow : assistantRow)(`line ${index + 1}`),
  );
  return { session, rows: await world.append(session.lease, lines) };
}
