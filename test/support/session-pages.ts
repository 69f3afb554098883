/** The operators' pages over sessions on real Postgres. */
import { contextReader, type ContextReader } from '@palimpsest/dashboard';
import { startPages, type PagesUnderTest, type PagesWish } from './dashboard.ts';
import { lcmOf } from './lcm.ts';
import { dcpOf } from './stored-dcp.ts';
import type { StoreWorld } from './store-world.ts';
import type { TurnWorld } from './turn-world.ts';

const unknownModels: ContextReader = { read: () => Promise.resolve(null), price: () => null };

/** Over sessions that a test puts into the store; no worker, so nothing is known of models. */
export function startStorePages(world: StoreWorld, wish: PagesWish = {}): Promise<PagesUnderTest> {
  const { operators, compactions, transcript } = world;
  const { store: dcp } = dcpOf(world);
  const deps = { operators, compactions, transcript, dcp, lcm: lcmOf(world), context: unknownModels };
  return startPages({ ...wish, deps: { ...deps, ...wish.deps } });
}

/** Over a world in which real turns run. */
export function startWorldPages({ store, workerDeps }: TurnWorld): Promise<PagesUnderTest> {
  const { operators, compactions, localChat, transcript, notices, dcp, lcm, usage } = store;
  const { windowTokens, label } = workerDeps.model.info;
  return startPages({
    deps: {
      operators,
      compactions,
      localChat,
      transcript,
      notices,
      dcp,
      lcm,
      usage,
      context: contextReader(workerDeps, store),
      windowTokens,
      modelLabel: label,
    },
  });
}
