/** Whatever was said and however often it was condensed: the strict servers of all dialects take the next request. */
import type { ModelClient, PromptMessage } from '@palimpsest/core';
import type { FakeModel } from '@palimpsest/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askFor, budgetOf, compressorFor } from '../support/compress.ts';
import {
  callRow,
  MemoryTranscript,
  resultRow,
  ScriptedSummariser,
  userRow,
  words,
} from '../support/memory-transcript.ts';
import { events, outline, request, sides, worldOf, type ModelWorld } from '../support/model-world.ts';
import { beforePlan, checkAfter, originalsOf } from '../support/plan-laws.ts';
import { anyTurn, anyTurnWithImages } from '../support/transcript-arbitrary.ts';

const dialects = ['anthropic', 'openai', 'responses'] as const;
const modes = ['lean', 'legacy'] as const;
const terminal = {
  name: 'terminal',
  description: 'runs a command',
  parameters: { type: 'object', properties: { args: { type: 'string' } } },
};

let worlds: readonly ModelWorld[] = [];
beforeAll(async () => {
  const chosen = sides.filter(({ name }) => dialects.some((dialect) => dialect === name));
  // Wide enough for a session that nobody ever condensed.
  const fake = { window: 5_000_000, recordBodies: false };
  worlds = await Promise.all(chosen.map((side) => worldOf(side, () => ({ text: 'ok' }), { fake })));
  expect(worlds).toHaveLength(3);
});
afterAll(() => Promise.all(worlds.map((world) => world[Symbol.asyncDispose]())));

async function judgedBy(
  { server, client }: { server: FakeModel; client: ModelClient },
  messages: readonly PromptMessage[],
) {
  const before = server.violations.length;
  const seen = await events(client, request([...messages], { tools: [terminal] }));
  return { ended: outline(seen).at(-1), violations: server.violations.slice(before) };
}

/** The next request of the session, as each dialect's server judges it. */
async function expectAccepted(transcript: MemoryTranscript, windowTokens: number): Promise<void> {
  const { messages } = await compressorFor(windowTokens).assemble(transcript, budgetOf(windowTokens));
  const judged = await Promise.all(worlds.map((world) => judgedBy(world, messages)));
  expect(judged).toEqual(worlds.map(() => ({ ended: 'done', violations: [] })));
}

const anyStep = fc.record({
  turns: fc.array(anyTurnWithImages(300), { minLength: 1, maxLength: 9 }),
  mode: fc.constantFrom('full', 'full', 'local', 'prune') as fc.Arbitrary<'full' | 'local' | 'prune'>,
  answer: fc.constantFrom('## Goal\nshort', `## Goal\n${words(400)}`),
  takesBack: fc.boolean(),
});

test.each(modes)(
  '%s: any conversation, condensed any number of times, makes a request that all take',
  async (tail_mode) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(8_000, 16_000),
        async (steps, windowTokens) => {
          const transcript = new MemoryTranscript();
          let accepted = 0;
          for (const { turns, mode, answer, takesBack } of steps) {
            const said = [...turns.flat(), userRow('and now?')].map((row) => transcript.append(row));
            accepted += said.length;
            // The last message is taken back and said in other words.
            if (takesBack) {
              transcript.withdraw([said.at(-1)!.id]);
              transcript.append(userRow('and then?'));
              accepted += 1;
            }
            const summariser = new ScriptedSummariser([answer]);
            const plan = await askFor(transcript, { windowTokens, mode, config: { tail_mode }, summariser });
            if (plan.kind === 'plan') {
              const before = beforePlan(transcript);
              transcript.apply(plan);
              checkAfter(transcript, before, plan);
            }
            await expectAccepted(transcript, windowTokens);
            expect(originalsOf(transcript)).toBe(accepted);
            expect(new Set(transcript.all.map((row) => row.id)).size).toBe(transcript.all.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  },
);

test.each(modes)(
  '%s: a tool round that begins the tail, with parallel calls in any order, is taken',
  async (tail_mode) => {
    const transcript = new MemoryTranscript();
    for (let round = 0; round < 30; round++) {
      transcript.append(userRow(`question ${round}`));
      const ids = [0, 1, 2].map((call) => `call-${round}-${call}`);
      transcript.append(callRow(ids.map((id) => ({ id, args: '{"args": "ls"}' }))));
      for (const id of ids.toReversed()) transcript.append(resultRow(id, words(120)));
    }

    for (let times = 0; times < 3; times++) {
      const plan = await askFor(transcript, { windowTokens: 8_000, config: { tail_mode }, force: true });
      if (plan.kind === 'plan') transcript.apply(plan);
      await expectAccepted(transcript, 8_000);
    }

    expect(transcript.session.compactionCount).toBeGreaterThan(0);
  },
);

test.each([1, 2, 3])('a session of %i messages is taken as it is', async (count) => {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < count; index++) transcript.append(userRow(index === 0 ? '' : `line ${index}`));
  transcript.append(userRow('hello'));

  await expectAccepted(transcript, 8_000);
});

test.each(modes)('%s: 10,000 rows are taken before and after they are condensed', async (tail_mode) => {
  const turns = fc.sample(anyTurn(20), { numRuns: 3_000, seed: 5 }).flat().slice(0, 9_999);
  const transcript = new MemoryTranscript();
  for (const row of turns) transcript.append(row);
  // What the cut above left open is closed, as a turn does after a crash.
  transcript.append(userRow('and now?'));
  await expectAccepted(transcript, 32_000);

  const plan = await askFor(transcript, { windowTokens: 32_000, config: { tail_mode }, mode: 'local' });
  if (plan.kind === 'plan') transcript.apply(plan);

  expect(plan.kind).toBe('plan');
  await expectAccepted(transcript, 32_000);
});
