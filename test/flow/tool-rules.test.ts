/** Rules of the operator for tools, through whole turns. */
import { textOfParts } from '@palimpsest/core';
import { expect, test, vi } from 'vitest';
import { arrive, messageUpdate } from '../support/intake.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const nameOf = (tool: { name?: string; function?: { name: string } }): string =>
  tool.name ?? tool.function?.name ?? '';

test('a tool that a rule denies is not offered; a call that a rule denies gets a word instead of a result', async () => {
  const offered = new Set<string>();
  await using world = await openTurnWorld({
    script: (request) => {
      for (const tool of (request.raw as { tools: { name: string }[] }).tools) offered.add(nameOf(tool));
      const { toolResults } = request.messages.at(-1)!;
      if (toolResults.length > 0) return { text: 'done' };
      return {
        toolCalls: [
          { name: 'session_search', arguments: { query: 'the secret plan' } },
          { name: 'session_search', arguments: { query: 'the open plan' } },
        ],
      };
    },
    config: `
platforms: { telegram: { allowed_users: [42] } }
tools: { rules: [{ tool: 'session_*', pattern: '*secret*', action: deny }] }
agent: { tool_rules: [{ tool: read_payload, action: deny }] }`,
  });

  const sessionId = await arrive(world.store, messageUpdate(1, 'please'));
  await world.queue.wake(sessionId);
  const results = await vi.waitFor(
    async () => {
      const rows = await world.store.transcript.page(sessionId, { afterSeq: 0, limit: 100 });
      const found = rows.filter((row) => row.role === 'tool').map((row) => textOfParts(row.parts));
      expect(found).toHaveLength(2);
      return found;
    },
    { timeout: 20_000 },
  );

  expect([...offered]).toEqual(['session_search', 'send_file']);
  expect(results[0]).toBe(
    'session_search may not be used with these arguments: a rule of the operator forbids it. Go on without it and say so.',
  );
  expect(results[1]).not.toContain('may not be used');
});
