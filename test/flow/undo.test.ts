/** Taking a compaction back, and looking at one before it is done: through the whole main path. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, pause, type TurnWorld } from '../support/turn-world.ts';

/** The trigger lies at half of the window, a tenth of it is five lines. */
const calm = 'compression: {background: false, threshold: 0.5, small_context_floor: null}';

const asSaid = async (world: TurnWorld) =>
  (await world.rows()).map(({ id, seq, role, kind, parts, sender, sentAt }) => ({
    id,
    seq,
    role,
    kind,
    parts,
    sender,
    sentAt,
  }));

test('/undo_compaction brings back what /compress put away, byte for byte, and the model reads it again', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window: 32_000 });
  await talk(world, 16);
  const before = await asSaid(world);
  await ask(world, '/compress');

  const told = await ask(world, '/undo_compaction');

  expect(told).toMatch(
    /^ℹ️ Taken back: \d+ messages are in the conversation again, word for word; about [\d,]+ → [\d,]+ tokens\. It is not condensed again before it has grown\.$/,
  );
  const rows = await world.rows();
  expect((await asSaid(world)).filter((row) => row.kind !== 'summary')).toEqual(before);
  expect(rows.filter((row) => row.kind === 'summary').map((row) => row.state)).toEqual(['withdrawn']);
  expect(rows.filter((row) => row.kind !== 'summary').every((row) => row.state === 'live')).toBe(true);
  await talk(world, 1);
  expect(prompts.at(-1)!.messages).toHaveLength(33);
  expect(prompts.at(-1)!.messages[2]!.text).toContain('Line 2.');
  expect(prompts.at(-1)!.system).not.toContain('[Note: Some earlier conversation turns have been compacted');
  expect(world.model.violations).toEqual([]);
  const [undone, compaction] = await world.store.compactions.ledger({
    sessionId: await world.sessionId(),
    limit: 2,
  });
  expect(undone).toMatchObject({ layer: 'manual', trigger: 'undo', outcome: 'success' });
  expect(compaction).toMatchObject({ trigger: 'manual', undoneBy: undone!.id });
});

test('with nothing to take back it says so, also the second time', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 16);
  const never = await ask(world, '/undo_compaction');
  await ask(world, '/compress');
  await ask(world, '/undo_compaction');

  expect(never).toBe('ℹ️ There is no condensing to take back.');
  expect(await ask(world, '/undo_compaction')).toBe('ℹ️ There is no condensing to take back.');
});

test('after an undo nothing is condensed until a tenth of the window came, then it is again', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 16_000, config: calm });
  const compactions = async () =>
    (await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 50 })).filter(
      (row) => row.trigger === 'threshold',
    ).length;
  while (!(await world.sessionId()) || (await compactions()) === 0) await talk(world, 1);
  expect(await ask(world, '/undo_compaction')).toContain('Taken back');

  // Two lines and their answers are about 1,400 of the 1,600 tokens.
  await talk(world, 2);
  expect(await compactions()).toBe(1);
  await talk(world, 2);
  expect(await compactions()).toBe(2);
});

test('an undo that would pass the hard limit is refused with the figure and changes nothing', async () => {
  const config = 'compression: {background: false}';
  await using world = await openTurnWorld({ script: answering(), window: 8_000, config });
  await talk(world, 14);
  const before = (await world.rows()).map((row) => [row.id, row.state]);

  const told = await ask(world, '/undo_compaction');

  expect(told).toMatch(
    /^ℹ️ It cannot be taken back: the conversation would have about [\d,]+ tokens again, and at most 7,200 fit the model with room for an answer\. What was said before stays searchable\.$/,
  );
  expect((await world.rows()).map((row) => [row.id, row.state])).toEqual(before);
});

test('/compress --preview names what would leave and what it costs; no model is called and nothing is changed', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 16);
  const before = (await world.rows()).map((row) => [row.id, row.state]);

  const told = await ask(world, '/compress --preview the ferry times');

  expect(told).toMatch(
    /^ℹ️ Preview, nothing is changed: 32 → \d+ messages, about [\d,]+ → [\d,]+ tokens\.\nMessages [\d–, ]+ would be told in the summary\.\nThe summary model .+ would read about [\d,]+ tokens in 1 call and write at most [\d,]+\.\nPrice: .+\.$/,
  );
  expect(world.summariser.requests).toEqual([]);
  expect((await world.rows()).map((row) => [row.id, row.state])).toEqual(before);
  const sessionId = await world.sessionId();
  expect(await world.store.compactions.ledger({ sessionId, limit: 5 })).toEqual([]);
  expect(await ask(world, '/compress')).toContain(/messages, about ([\d,]+) /.exec(told)![0]);
});

test("an operator's request is carried out by the worker and answered to the operator alone", async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 16);
  const sessionId = await world.sessionId();
  const carryOut = async (name: string): Promise<string | null> => {
    const request = await world.store.operators.request(sessionId, { name, argument: '' });
    await world.queue.wake(sessionId);
    for (;;) {
      const { state, answer } = await world.store.operators.requestState(request);
      if (state !== 'pending' && state !== 'claimed') return answer;
      await pause();
    }
  };

  expect(await carryOut('compress')).toMatch(/^Condensed: 32 → \d+ messages/);
  expect(await carryOut('undo_compaction')).toMatch(/^Taken back: \d+ messages/);
  expect(await carryOut('undo_compaction')).toBe('There is no condensing to take back.');
  expect(await world.heard()).toHaveLength(16);
});
