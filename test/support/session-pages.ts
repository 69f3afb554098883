/** The operators' pages over sessions on real Postgres. */
import { contextReader, type ContextReader } from '@palimpsest/dashboard';
import { createHookStore } from '../../packages/store/src/hooks/create-hook-store.ts';
import { createActionStore } from '../../packages/store/src/operators/create-action-store.ts';
import { createBoardStore } from '../../packages/store/src/operators/create-board-store.ts';
import { startPages, type PagesUnderTest, type PagesWish } from './dashboard.ts';
import { lcmOf } from './lcm.ts';
import { dcpOf } from './stored-dcp.ts';
import type { StoreWorld } from './store-world.ts';
import type { TurnWorld } from './turn-world.ts';

/** No worker's parts: nothing is known of models and windows. */
export const unknownModels: ContextReader = {
  read: () => Promise.resolve(null),
  preview: () => Promise.resolve(null),
  choices: () => ({ engines: [], models: [] }),
  usualTriggerTokens: () => 100_000,
  price: () => null,
};

/** Over sessions that a test puts into the store; no worker, so nothing is known of models. */
export function startStorePages(world: StoreWorld, wish: PagesWish = {}): Promise<PagesUnderTest> {
  const { operators, compactions, transcript, db } = world;
  const { store: dcp } = dcpOf(world);
  const deps = {
    operators,
    boards: createBoardStore(db),
    actions: createActionStore(db),
    hooks: createHookStore(db),
    compactions,
    transcript,
    dcp,
    lcm: lcmOf(world),
    context: unknownModels,
  };
  return startPages({ ...wish, deps: { ...deps, ...wish.deps } });
}

/** Over a world in which real turns run. */
export function startWorldPages(
  { store, workerDeps, queue }: TurnWorld,
  wish: PagesWish = {},
): Promise<PagesUnderTest> {
  const {
    operators,
    boards,
    actions,
    hooks,
    erase,
    leases,
    compactions,
    localChat,
    transcript,
    notices,
    dcp,
    lcm,
    usage,
  } = store;
  const { windowTokens, label } = workerDeps.model.info;
  return startPages({
    ...wish,
    deps: {
      operators,
      boards,
      actions,
      hooks,
      erase,
      leases,
      queue,
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
      ...wish.deps,
    },
  });
}
