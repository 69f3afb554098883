/** A text that is too long for the prompt: kept whole, described once, opened by its id. */
import type { LcmChange, NewRow } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderPerson } from '../../packages/agent/src/render-person.ts';
import { lcmOf } from '../support/lcm.ts';
import { lcmConfig } from '../support/lcm-engine-world.ts';
import { LcmPostgresWorld } from '../support/lcm-postgres-world.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const rows = Array.from({ length: 9_000 }, (_, index) => `${index},name ${index},0.${index}`);
const table = ['id,name,value', ...rows].join('\n');

/** The row of a person's message, as intake makes it above the limit of the engine. */
function longMessage(text: string): NewRow {
  const message = {
    messageId: '1',
    senderId: '7',
    senderName: 'Ada',
    sentAt: new Date('2026-03-02T09:00:00Z'),
    text,
  };
  const chat = { place: { chatId: '1', threadId: '', kind: 'direct', title: '' } };
  return renderPerson({ chat, content: { kind: 'message', message } } as never, {
    timezone: 'UTC',
    maxTextTokens: lcmConfig().context.lcm.large_file_threshold_tokens,
  });
}

test('a text of 25,000 tokens and more is a file: described at the next prompt, and read by its id', async () => {
  const talk = new LcmPostgresWorld({ world, session: await world.newSession(), config: lcmConfig() });
  await talk.append([longMessage(table)]);
  const engine = await talk.engine();
  const view = await talk.view();
  const budget = { windowTokens: 200_000, outputReserveTokens: 8_000, overheadTokens: 0 };

  const first = await engine.assemble(view, budget);
  const second = await engine.assemble(view, budget);
  await lcmOf(world).write(talk.session.lease, first.stateChange!.json as LcmChange);

  const shown = JSON.stringify(first.messages);
  const id = `file_${/read_payload with id \\"([0-9a-f]{16})/.exec(shown)![1]}`;
  const described = await talk.call('lcm_describe', { id });
  const lines = await talk.call('lcm_describe', { id, start_line: 5_002, end_line: 5_003 });
  expect(shown.length).toBeLessThan(40_000);
  expect(second.stateChange).toBeUndefined();
  expect(described.text).toContain('9001 lines');
  expect(described.text).toContain('Table of 9000 rows with the columns id,name,value');
  expect(lines.text).toContain('5000,name 5000,0.5000\n5001,name 5001,0.5001');
});

test('a text below that stays in the prompt word for word', () => {
  expect(longMessage('a short one').payloads).toBeUndefined();
});
