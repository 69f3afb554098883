/** /undo and /retry in the database: what is withdrawn with a row, and what summaries hold back. */
import { LeaseLost, type MailboxRow } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { summaryEnd } from '../../packages/store/src/turns/summary-end.ts';
import { undoTurns } from '../../packages/store/src/turns/undo-turns.ts';
import { makePlan, openCompaction, planRow } from '../support/plans.ts';
import {
  assistantRow,
  openStoreWorld,
  personRow,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';
import { aBlock, dcpOf } from '../support/stored-dcp.ts';
import { statesOf } from '../support/undo.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

function undo(session: TestSession, fromSeq: number): Promise<void> {
  const row: MailboxRow = {
    seq: 9,
    chat: session.chat,
    content: { kind: 'operator', command: { name: 'undo', argument: '' } },
    acceptedAt: new Date(),
  };
  return undoTurns(world.db, session.lease, { fromSeq, row, answer: null, replies: [] });
}

test('what a withdrawn row stands for is withdrawn with it, and an undo of the compaction does not bring it back', async () => {
  const session = await world.newSession();
  const [question, old] = await world.append(session.lease, [
    personRow('question'),
    assistantRow('long output'),
  ]);
  const stub = planRow(assistantRow('stub'), { kind: 'replaces', rowId: old!.id });
  const plan = makePlan({ archive: [old!.id], write: [stub] });
  const id = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.apply(session.lease, id, plan, []);

  await undo(session, question!.seq);

  expect(await statesOf(world, session.sessionId)).toEqual([
    ['question', 0, 0, null],
    ['long output', 0, 0, null],
    ['stub', 0, 0, null],
  ]);
});

test('prompt counts are forgotten, the revision rises, plans made ahead are dropped', async () => {
  const session = await world.newSession();
  const [, second] = await world.append(session.lease, [personRow('one'), personRow('two')]);
  await world.query(
    'UPDATE sessions SET last_prompt_tokens = 900, last_output_tokens = 5, last_priced_seq = 2048, revision = 7 WHERE id = $1',
    [session.sessionId],
  );

  await undo(session, second!.seq);

  const [row] = await world.query(
    'SELECT last_prompt_tokens, last_output_tokens, last_priced_seq, revision FROM sessions WHERE id = $1',
    [session.sessionId],
  );
  expect(row).toEqual({ last_prompt_tokens: 0, last_output_tokens: 0, last_priced_seq: '0', revision: '8' });
});

test('whoever lost the lease takes nothing back', async () => {
  const session = await world.newSession();
  const [only] = await world.append(session.lease, [personRow('stays')]);
  await world.query(`UPDATE sessions SET epoch = epoch + 1 WHERE id = $1`, [session.sessionId]);

  await expect(undo(session, only!.seq)).rejects.toThrow(LeaseLost);
  expect(await statesOf(world, session.sessionId)).toEqual([['stays', 1, 0, null]]);
});

test('a block that the model made holds nothing back, one of the service does, with what it took in', async () => {
  const session = await world.newSession();
  const rows = await world.append(session.lease, ['a', 'b', 'c', 'd'].map(personRow));
  const [a, b, c, d] = rows.map((row) => row.id) as [number, number, number, number];
  const dcp = dcpOf(world);
  const origin = { turnId: 'turn-x', callId: 'call-1', argumentsHash: 'h' };
  await dcp.write(session.lease, {
    baseVersion: 0,
    refs: rows.map((row, index) => ({ unitId: row.id, number: index + 1 })),
    blocks: [aBlock({ number: 1, unitIds: [a, b, c], origin })],
  });
  expect(await summaryEnd(world.db, session.sessionId)).toBe(0);

  await dcp.write(session.lease, {
    baseVersion: 1,
    blocks: [aBlock({ number: 2, unitIds: [], consumed: [1], author: 'host_hygiene' })],
  });

  expect(await summaryEnd(world.db, session.sessionId)).toBe(rows[2]!.seq);
  expect(d).toBeGreaterThan(c);
});
