import { lcmConfig } from './lcm-engine-world.ts';
import { LcmPostgresWorld } from './lcm-postgres-world.ts';
import { answerRow, userRow, words } from './memory-transcript.ts';
import type { SessionWish, StoreWorld } from './store-world.ts';

/** Leaves of four messages, which one node holds. */
export const zebraConfig = lcmConfig({
  fresh_tail_count: 2,
  leaf_chunk_tokens: 520,
  condensed_target_tokens: 20,
  condensed_min_fanout: 2,
  condensed_min_fanout_hard: 100,
  summary_prefix_target_tokens: 1,
  dynamic_leaf_chunk_tokens: { enabled: false },
});

/** Sixteen messages under four leaves under one node, and two word for word; "zebra3" is said in the third turn. */
export async function zebraHistory(world: StoreWorld, chat: SessionWish = {}): Promise<LcmPostgresWorld> {
  const talk = new LcmPostgresWorld({ world, session: await world.newSession(chat), config: zebraConfig });
  for (let turn = 1; turn <= 9; turn++)
    await talk.append([userRow(`zebra${turn} ${words(100)}`), answerRow(`answer ${turn} ${words(100)}`)]);
  await talk.condense();
  return talk;
}
