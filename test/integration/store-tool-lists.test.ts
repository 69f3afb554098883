/** The tools that a session's prompt names, kept with it. */
import type { ServerTool } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToolListStore } from '../../packages/store/src/tool-list-store.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Keys in an order that jsonb would not keep. */
const tool: ServerTool = {
  server: 'files',
  name: 'read',
  schema: {
    name: 'files_read',
    description: 'reads',
    parameters: { type: 'object', properties: { zz: {}, a: {} } },
  },
  repeatable: true,
};

test('what was fixed comes back byte for byte, and a later list takes its place', async () => {
  const lists = createToolListStore(world.db);
  const { sessionId: id, lease } = await world.newSession();

  const before = await lists.read(id);
  await lists.fix({ id, epoch: lease.epoch }, [tool]);
  const first = await lists.read(id);
  await lists.fix({ id, epoch: lease.epoch }, []);

  expect(before).toBeNull();
  expect(JSON.stringify(first)).toBe(JSON.stringify([tool]));
  expect(await lists.read(id)).toEqual([]);
});

test('a holder that was replaced, and a reader, fix nothing', async () => {
  const lists = createToolListStore(world.db);
  const { sessionId: id, lease } = await world.newSession();
  await lists.fix({ id, epoch: lease.epoch }, [tool]);

  await lists.fix({ id, epoch: lease.epoch - 1 }, []);
  await lists.fix({ id, epoch: 0 }, []);

  expect(await lists.read(id)).toEqual([tool]);
});

test("a child session has its parent's tools until its own are fixed", async () => {
  const lists = createToolListStore(world.db);
  const parent = await world.newSession();
  const child = await world.newSession();
  await world.query('UPDATE sessions SET parent_session_id = $1 WHERE id = $2', [
    parent.sessionId,
    child.sessionId,
  ]);
  await lists.fix({ id: parent.sessionId, epoch: parent.lease.epoch }, [tool]);

  expect(await lists.read(child.sessionId)).toEqual([tool]);
  await lists.fix({ id: child.sessionId, epoch: child.lease.epoch }, []);
  expect(await lists.read(child.sessionId)).toEqual([]);
  expect(await lists.read(parent.sessionId)).toEqual([tool]);
});
