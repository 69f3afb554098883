import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCourse, courseWorld, happen } from '../support/dcp-arbitrary.ts';
import { events, request, sides, worldOf } from '../support/model-world.ts';

test.each(sides.filter(({ name }) => name === 'anthropic' || name === 'openai'))(
  'every request of any course is taken by the strict model server: $name',
  async (side) => {
    await using model = await worldOf(side, () => ({ text: 'ok' }), { fake: { recordBodies: false } });
    await fc.assert(
      fc.asyncProperty(anyCourse, async (course) => {
        const world = courseWorld();
        for (const action of course) {
          await happen(world, action);
          const messages = [...(await world.prompt())];
          const tools = [...world.engine.getToolSchemas()];
          const seen = await events(
            model.client,
            request(messages, { tools, system: [world.engine.systemText] }),
          );
          expect(seen.at(-1)).toMatchObject({ type: 'done' });
        }
      }),
      { numRuns: 25 },
    );

    expect(model.server.violations).toEqual([]);
  },
  60_000,
);
