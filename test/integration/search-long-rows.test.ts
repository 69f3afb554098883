/** Long tool results: what stands far behind in them is found as well. */
import { expect, test } from 'vitest';
import { openStoreWorld, personRow, textsOf } from '../support/store-world.ts';

test('a path at the end of a listing that names its folder in every line is found as it is written', async () => {
  await using world = await openStoreWorld();
  const session = await world.newSession();
  const paths = Array.from({ length: 130 }, (_, n) => `/srv/monai/monai-${n}/monai/part${n}`);
  const listing = `${paths.join('\n')}\n/srv/monai/handlers`;
  const apart = Array.from({ length: 12 }, (_, n) =>
    personRow(`handlers of monai, the ${n}th: srv has them`),
  );
  await world.append(session.lease, [personRow(listing), ...apart]);

  const options = { limit: 1, neighbours: 0, liveOfOwnSession: true };
  const [hit] = await world.transcript.search(
    { sessionId: session.sessionId },
    '"/srv/monai/handlers"',
    options,
  );

  expect(textsOf([hit!.row])[0]!.length).toBe(listing.length);
  expect(hit!.at).toBeGreaterThan(3_000);
});
