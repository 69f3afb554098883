/**
 * JSON of tens of thousands of levels, as a model may be made to write it into a call and a server may answer it: no stack is
 * deep enough to walk it, and the conversation goes on. Bodies at our own doors stand in webhook.test.ts and
 * pages.test.ts.
 */
import { expect, test } from 'vitest';
import type { Tool } from '@palimpsest/core';
import { answering, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const levels = 30_000;
const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Answers with what nobody can walk. */
const reader: Tool = {
  repeatable: true,
  schema: {
    name: 'read_note',
    description: 'reads a note',
    parameters: { type: 'object', properties: { where: {} } },
  },
  run: async () => ({ text: `{"note":${deep}}`, isError: false }),
};

test.each([['compressor'], ['lcm'], ['dcp']])(
  'deep arguments and a deep result are taken under the engine %s, sent again, and condensed',
  async (engine) => {
    const answer = answering();
    let asked = 0;
    await using world = await openTurnWorld({
      // The same call twice: an engine that looks for repeats compares them.
      script: (request) => {
        if (request.tools.length === 0) return { text: 'They spoke of the ferry.' };
        asked += 1;
        if (asked > 2) return answer(request);
        return { toolCalls: [{ name: 'read_note', arguments: `{"where":${deep}}` }] };
      },
      window: 1_000_000,
      tools: [reader],
      config: `context: {engine: ${engine}}`,
    });

    await talk(world, 6);
    await world.say('/compress');
    await talk(world, 1);

    expect((await world.heard()).filter(isAnswer)).toHaveLength(7);
    const rows = JSON.stringify(await world.rows());
    expect(rows.split('"tool_call"').length - 1).toBe(2);
    expect(world.model.violations).toEqual([]);
    // The model sees what it wrote; none of the requests had to be tried again.
    expect(world.model.requests[1]!.body).toContain('"input":{"invalid_arguments":"{\\"where\\":[[[');
    expect(world.model.requests).toHaveLength(asked);
  },
  90_000,
);
