/** The lossless engine through the whole main path: commands, undo, a new chapter, and a look into the past by the model. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const config = 'context: {engine: lcm, lcm: {fresh_tail_count: 4, new_session_retain_depth: 0}}';

const problemsOf = async (world: TurnWorld) =>
  (await world.store.lcm.doctor(await world.sessionId())).filter(({ severity }) => severity === 'broken');

test('/compress puts a summary in front; /lcm tells of it; taken back, every line is there again', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window: 64_000, config });
  await talk(world, 12);

  const told = await ask(world, '/compress');
  await talk(world, 1);
  const after = prompts.at(-1)!.messages.map(({ text }) => text);
  const status = await ask(world, '/lcm status');
  const doctor = await ask(world, '/lcm doctor');
  const undone = await ask(world, '/undo_compaction');

  const [, swept] = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 2 });
  expect(swept?.sweep).toEqual({
    passes: 1,
    leaves: 1,
    condensed: 0,
    deepestDepth: 0,
    stoppedBy: 'none',
    cacheState: expect.stringMatching(/^(hot|cold|unknown)$/),
    decision: 'full-sweep',
    debtAgeSeconds: null,
  });
  expect(told).toMatch(/^ℹ️ /);
  expect(after[0]).toMatch(/^<summary id="sum_[0-9a-f]{16}" kind="leaf" depth="0"/);
  expect(after.length).toBeLessThan(10);
  expect(status).toMatch(/messages word for word .* under summaries/);
  expect(doctor).toContain('Nothing is wrong with the history of this session.');
  expect(undone).toContain('Taken back');
  expect((await world.store.lcm.load(await world.sessionId())).items).toEqual([]);
  expect((await world.rows()).every(({ state }) => state === 'live')).toBe(true);
  expect(await problemsOf(world)).toEqual([]);
});

test('/new keeps the summaries it is told to keep, and the model sees nothing else of before', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window: 64_000, config });
  await talk(world, 12);
  await ask(world, '/compress');

  await ask(world, '/new');
  await talk(world, 1);

  // Anthropic's dialect joins what stands in one role.
  const texts = prompts.at(-1)!.messages.map(({ text }) => text);
  expect(texts).toHaveLength(1);
  expect(texts[0]).toMatch(/^<summary [\s\S]*<\/summary>[\s\S]*Line 13\./);
  const live = (await world.rows()).filter(({ state }) => state === 'live');
  expect(live.map(({ kind }) => kind)).toEqual(['person', 'assistant']);
  expect(await problemsOf(world)).toEqual([]);
});

test('the model finds an archived line with lcm_grep and answers from it', async () => {
  const results: string[] = [];
  await using world = await openTurnWorld({
    window: 64_000,
    config,
    script: (request) => {
      const result = request.messages.at(-1)!.toolResults[0];
      if (result) results.push(result.text);
      const isAsked = request.messages.at(-1)!.text.includes('Line 9.');
      if (isAsked && !result)
        return { text: '', toolCalls: [{ name: 'lcm_grep', arguments: { query: '"Line 2."' } }] };
      return { text: 'Noted, as you said.' };
    },
  });
  await talk(world, 8);
  await ask(world, '/compress');

  await talk(world, 1);

  expect(results).toEqual([
    expect.stringMatching(/^1 messages, \d+ summaries[\s\S]*under sum_[0-9a-f]{16}\): /),
  ]);
});
