import type { DcpState, PromptMessage } from '@palimpsest/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assemble } from '../../../packages/engines/src/compressor/assemble.ts';
import { promptFault } from '../../../packages/engines/src/dcp/transform/validate-prompt.ts';
import { anyCourse, courseWorld, happen, tokensOf } from '../../support/dcp-arbitrary.ts';
import { DcpWorld } from '../../support/dcp-world.ts';

const runs = { numRuns: 60 };

/** Without the nudge that may stand at the end. */
function withoutNudge(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const last = messages.at(-1)?.parts[0];
  return last?.type === 'text' && last.text.startsWith('<dcp-reminder>') ? messages.slice(0, -1) : messages;
}

test('the same rows and state always give the same request, by this engine and by one built anew', async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, async (course) => {
      const world = courseWorld();
      for (const action of course) {
        await happen(world, action);
        const first = await world.prompt();
        const again = await world.prompt();
        world.rebuild();
        const anew = await world.prompt();

        expect(again).toEqual(first);
        expect(withoutNudge(anew)).toEqual(withoutNudge(first));
      }
    }),
    runs,
  );
});

test('whatever happens the stored rows are as they were, and the request is sound and ends with the person', async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, async (course) => {
      const world = courseWorld();
      const stored = new Map<number, string>();
      for (const action of course) {
        await happen(world, action);
        const messages = await world.prompt();
        for (const row of world.transcript.all) {
          const now = JSON.stringify(row);
          expect(stored.get(row.id) ?? now).toBe(now);
          stored.set(row.id, now);
        }

        expect(promptFault(messages)).toBeNull();
        const newest = world.transcript.rows.findLast((row) => row.kind === 'person')!;
        expect(messages.some((message) => message.rowId === newest.id)).toBe(true);
      }
    }),
    runs,
  );
});

test('with all blocks and marks off the conversation is sent as it is stored', async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, async (course) => {
      const world = courseWorld();
      for (const action of course) await happen(world, action);
      const off: DcpState = {
        ...world.state,
        blocks: world.state.blocks.map((block) => ({ ...block, status: 'user_off' })),
        marks: [],
      };
      const bare = new DcpWorld({ config: { compress: { permission: 'deny' } } });
      bare.state = off;

      const { messages } = await bare.rebuild().assemble(world.transcript, world.budget);

      const raw = await assemble(world.transcript);
      expect(messages.map(withoutSummaries)).toEqual(raw.messages.map(withoutSummaries));
    }),
    runs,
  );
});

/** Summaries in the arguments of a call that made a block are a copy of the block's own text. */
function withoutSummaries(message: PromptMessage): PromptMessage {
  const parts = message.parts.map((part) =>
    part.type === 'tool_call' && part.name === 'compress' ? { ...part, arguments: '' } : part,
  );
  return { ...message, parts };
}

test('what is measured without any text is close to what is sent, and mostly a little more', async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, async (course) => {
      const world = courseWorld();
      for (const action of course) {
        await happen(world, action);
        const sent = tokensOf(withoutNudge(await world.prompt()));
        const { tokens, rows } = world.engine.measure!(world.transcript);

        expect(tokens).toBeGreaterThan(sent * 0.95 - 60);
        expect(tokens).toBeLessThan(sent * 1.15 + 200);
        expect(rows).toBeGreaterThan(0);
      }
    }),
    runs,
  );
});

test('what stood before the place of a change reads as before, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, async (course) => {
      const world = courseWorld();
      let before: readonly PromptMessage[] = [];
      let version = world.state.version;
      for (const action of course) {
        await happen(world, action);
        const now = withoutNudge(await world.prompt());
        if (world.state.version === version) expect(now.slice(0, before.length)).toEqual(before);
        before = now;
        version = world.state.version;
      }
    }),
    runs,
  );
});
