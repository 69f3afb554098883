/** Rights to tools through whole turns of a group: the least trusted of those who spoke decides. */
import type { IncomingUpdate } from '@palimpsest/core';
import { textOfParts } from '@palimpsest/core';
import { expect, test, vi } from 'vitest';
import { ada, arrive, group, messageUpdate } from '../support/intake.ts';
import { stdioServerYaml } from '../support/mcp/tool-servers.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const ben = { ...ada, id: '43', name: 'Ben' };
const fromAda = (id: number) => messageUpdate(id, 'please', { chat: group, sender: ada });
const fromBen = (id: number) => messageUpdate(id, 'me too', { chat: group, sender: ben });

test('an admin may alone what she may not in one turn with somebody else, and the prompt stays the same', async () => {
  const tools: string[] = [];
  await using world = await openTurnWorld({
    script: (request) => {
      tools.push(JSON.stringify((request.raw as { tools: unknown }).tools));
      const [result] = request.messages.at(-1)!.toolResults;
      return result ? { text: 'done' } : { toolCalls: [{ name: 'odd_echo', arguments: {} }] };
    },
    config: `
platforms: { telegram: { allowed_users: [42, 43] } }
tools: { admins: { telegram: [42] } }
mcp_servers: { odd: ${stdioServerYaml()} }`,
  });

  /** What the tool gave in the turn over these messages. */
  async function resultOf(turn: number, ...updates: IncomingUpdate[]): Promise<string> {
    const sessionId = await arrive(world.store, ...updates);
    await world.queue.wake(sessionId);
    const results = async () =>
      (await world.store.transcript.page(sessionId, { afterSeq: 0, limit: 100 })).filter(
        (row) => row.role === 'tool',
      );
    await vi.waitFor(async () => expect(await results()).toHaveLength(turn), { timeout: 20_000 });
    return textOfParts((await results()).at(-1)!.parts);
  }

  const alone = await resultOf(1, fromAda(1));
  const together = await resultOf(2, fromAda(2), fromBen(3));
  const other = await resultOf(3, fromBen(4));

  const refused =
    'odd_echo may not be used here: the people who asked for this have the rights of tier "group", which does not allow it. Go on without it and say so.';
  expect([alone, together, other]).toEqual(['echo: {}', refused, refused]);
  expect(new Set(tools).size).toBe(1);
  expect(world.model.violations).toEqual([]);
});
