import { LeaseLost } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, countersOf, sessionWith } from '../support/compacted-sessions.ts';
import { makePlan, noPlan, openCompaction, summaryPlan } from '../support/plans.ts';
import { openStoreWorld, personRow, textsOf, type StoreWorld } from '../support/store-world.ts';
import { rowsAsStored, statesOf, undoOf } from '../support/undo.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('an undone compaction leaves every archived row live again byte for byte and its summary withdrawn', async () => {
  const session = await sessionWith(world, ['one', 'zwei  \n', 'три 🙂', 'four']);
  const before = await rowsAsStored(world, session.sessionId);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 3), 'a summary'));

  await undoOf(world, session, { compactionId });

  const after = await rowsAsStored(world, session.sessionId);
  expect(after.filter((row) => row['kind'] !== 'summary')).toEqual(before);
  expect(await statesOf(world, session.sessionId)).toEqual([
    ['one', 1, 0, null],
    ['zwei  \n', 1, 0, null],
    ['три 🙂', 1, 0, null],
    ['a summary', 0, 0, null],
    ['four', 1, 0, null],
  ]);
});

test('the search index is not touched by an undo, and the withdrawn summary is not found', async () => {
  const session = await sessionWith(world, ['quokka one', 'two', 'three']);
  const pieces = (): Promise<unknown[]> =>
    world.query(
      'SELECT message_id, piece, tsv::text FROM message_search WHERE session_id = $1 ORDER BY 1, 2',
      [session.sessionId],
    );
  const before = await pieces();
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'zebrafish'));
  await undoOf(world, session, { compactionId });

  const find = (word: string) =>
    world.transcript.search({ sessionId: session.sessionId }, word, {
      limit: 5,
      neighbours: 0,
      liveOfOwnSession: true,
    });
  expect(await pieces()).toEqual(before);
  expect((await find('quokka')).map((hit) => hit.state)).toEqual(['live']);
  expect(await find('zebrafish')).toEqual([]);
});

test('the session forgets its prompt count, rises in revision, loses its note and rests from here on', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const plan = summaryPlan(session.ids.slice(0, 2), 'a summary', { systemNote: 'the note' });
  const compactionId = await applyPlan(world, session, plan);
  await undoOf(world, session, { compactionId });

  expect(await countersOf(world, session.sessionId)).toMatchObject({
    last_prompt_tokens: 0,
    revision: 3,
    system_note: null,
  });
  const [row] = await world.query('SELECT rest_after_seq::int FROM sessions WHERE id = $1', [
    session.sessionId,
  ]);
  expect(row).toEqual({ rest_after_seq: 4095 });
});

test('the note stays while an earlier compaction stands, and the next compaction ends the rest', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four', 'five']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'first', { systemNote: 'the note' }));
  const second = await applyPlan(world, session, summaryPlan(session.ids.slice(2, 3), 'second'));
  await undoOf(world, session, { compactionId: second });
  const note = (await countersOf(world, session.sessionId))['system_note'];
  await applyPlan(world, session, summaryPlan(session.ids.slice(2, 4), 'third'));

  expect(note).toBe('the note');
  expect(await world.query('SELECT rest_after_seq FROM sessions WHERE id = $1', [session.sessionId])).toEqual(
    [{ rest_after_seq: null }],
  );
});

test('compactions are taken back newest first; one with another on top is refused and nothing changes', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const first = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'first'));
  const summary = (await world.transcript.liveRows(session.sessionId))[0]!.id;
  const second = await applyPlan(world, session, summaryPlan([summary, session.ids[2]!], 'second'));
  const before = await statesOf(world, session.sessionId);

  await expect(undoOf(world, session, { compactionId: first })).rejects.toMatchObject({
    code: 'undo_refused',
    message: `compaction ${first} of session ${session.sessionId} cannot be taken back: the newest that stands is ${second}. The older lines stay searchable.`,
  });
  expect(await statesOf(world, session.sessionId)).toEqual(before);
  await undoOf(world, session, { compactionId: second });
  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual(['first', 'three', 'four']);
  await undoOf(world, session, { compactionId: first });
  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual([
    'one',
    'two',
    'three',
    'four',
  ]);
  expect(await world.compactions.undoGround(session.sessionId)).toBeNull();
});

test('a compaction is not taken back twice', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  await undoOf(world, session, { compactionId });

  await expect(undoOf(world, session, { compactionId })).rejects.toMatchObject({ code: 'undo_refused' });
});

test('when a row it wrote was changed since, the compaction is not taken back', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  await world.query(`UPDATE messages SET active = 0 WHERE session_id = $1 AND kind = 'summary'`, [
    session.sessionId,
  ]);

  await expect(undoOf(world, session, { compactionId })).rejects.toThrow('rows it wrote were changed since');
});

test('both ledger rows say it: the old one names the undo, the undo has figures of its own', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  const undoId = await undoOf(world, session, { compactionId });

  const ledger = await world.compactions.ledger({ sessionId: session.sessionId, limit: 5 });

  expect(ledger).toMatchObject([
    {
      id: undoId,
      layer: 'manual',
      trigger: 'undo',
      outcome: 'success',
      figures: { tokensBefore: 3_000, tokensAfter: 9_000 },
    },
    { id: compactionId, outcome: 'success', undoneBy: undoId },
  ]);
  expect(ledger[0]!.finishedAt).toBeInstanceOf(Date);
});

test('attempts that changed nothing are not what is taken back', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  const skipped = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.closeWithout(skipped, noPlan({}), session.lease);

  expect(await world.compactions.undoGround(session.sessionId)).toMatchObject({
    compactionId,
    engine: 'compressor',
    inPlace: true,
    restoredRows: 2,
    restoredTokens: 30,
    withdrawnRows: 1,
    withdrawnTokens: 30,
  });
});

test('prepared plans go with the undo, and lines said since stay behind what came back', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  await world.append(session.lease, [personRow('said since')]);
  const plan = makePlan({ archive: [session.ids[2]!] });
  await world.compactions.savePrepared(session.sessionId, {
    plan,
    engine: 'compressor',
    configHash: 'h',
    ttlMs: 60_000,
  });
  await undoOf(world, session, { compactionId });

  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual([
    'one',
    'two',
    'three',
    'four',
    'said since',
  ]);
  expect(
    await world.query('SELECT 1 FROM prepared_compactions WHERE session_id = $1', [session.sessionId]),
  ).toEqual([]);
});

test('a compaction after an undo finds its places and archives the same rows again', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const first = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'first'));
  await undoOf(world, session, { compactionId: first });
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'again'));

  const live = await world.transcript.liveRows(session.sessionId);

  expect(textsOf(live)).toEqual(['again', 'three', 'four']);
  expect(live[0]!.seq).toBe(3070);
});

test('a holder whose lease was taken over takes nothing back', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  await world.expire(session.sessionId);
  await world.take(session.sessionId, 'worker-2');

  await expect(undoOf(world, session, { compactionId })).rejects.toThrow(LeaseLost);
  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual(['a summary', 'three']);
});

test('the request that asked for the undo is answered in the same transaction', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));
  const request = await world.operators.request(session.sessionId, { name: 'undo_compaction', argument: '' });
  const asked = await world.operators.requestState(request);
  await undoOf(world, session, { compactionId, request: { seq: request.seq, answer: 'Taken back.' } });

  expect(asked).toEqual({ state: 'pending', answer: null });
  expect(await world.operators.requestState(request)).toEqual({ state: 'done', answer: 'Taken back.' });
});

test('an operator may take a request back that nobody has taken up; unknown and ended sessions are refused', async () => {
  const session = await sessionWith(world, ['one']);
  const request = await world.operators.request(session.sessionId, { name: 'compress', argument: '' });
  const first = await world.operators.withdrawRequest(request);
  const again = await world.operators.withdrawRequest(request);
  await world.query('UPDATE sessions SET closed_at = now() WHERE id = $1', [session.sessionId]);

  expect([first, again]).toEqual([true, false]);
  expect(await world.operators.requestState(request)).toEqual({ state: 'withdrawn', answer: null });
  await expect(
    world.operators.request(session.sessionId, { name: 'compress', argument: '' }),
  ).rejects.toMatchObject({
    code: 'input_invalid',
  });
  await expect(world.operators.request('nowhere', { name: 'compress', argument: '' })).rejects.toMatchObject({
    code: 'row_missing',
  });
});
