import type { ScriptRequest } from '@palimpsest/testkit';
import { expect, test } from 'vitest';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

// in_place is the compressor's: nothing is ever moved to another session here.
const config = `
compression: { in_place: false }
context:
  engine: dcp
  dcp: { preserveRecentMessages: 1, preserveRecentTokens: 1, minNetTokens: 1 }
`;

const summary = 'Two old questions about the harbour were answered.';

const compress = (startId: string, endId: string) => ({
  name: 'compress',
  arguments: { topic: 'the harbour', content: [{ startId, endId, summary }] },
});

/** Long answers; at the word "compress" a call over the first four messages, then a word. */
function answer(request: ScriptRequest) {
  const newest = request.messages.findLast((message) => message.role === 'user' && message.text !== '');
  const results = request.messages.at(-1)?.toolResults ?? [];
  if (results.length > 0)
    return {
      text: results.map(({ text }) => (text.includes('"ok":true') ? 'compressed' : 'refused')).join(', '),
    };
  if (newest?.text.includes('compress twice'))
    return {
      toolCalls: [
        compress('m0001', 'm0002'),
        compress('m0900', 'm0901'),
        compress('b1', 'm0004'),
        compress('m0700', 'm0701'),
      ],
    };
  if (newest?.text.includes('compress')) return { toolCalls: [compress('m0001', 'm0004')] };
  return { text: `The harbour: ${'ships and cranes '.repeat(120)}` };
}

async function talk(world: TurnWorld, texts: readonly string[]): Promise<string[]> {
  let heard = await world.heard();
  for (const text of texts) {
    const count = heard.length + 1;
    await world.say(text);
    heard = await world.hear(count);
  }
  return heard;
}

/** What the model was last asked, as one text. */
function lastPrompt(world: TurnWorld): string {
  return JSON.stringify(world.model.requests.at(-1)?.body);
}

test('a compress call is one transaction with its round: block, ledger row and event; /undo_compaction takes it back', async () => {
  await using world = await openTurnWorld({ script: answer, config });
  await talk(world, ['first question', 'second question', 'third question']);
  const before = JSON.stringify((await world.rows()).map(({ id, parts, seq }) => ({ id, parts, seq })));

  await world.say('compress please');
  const told = await world.hear(5);
  const heard = await talk(world, ['fourth question']);
  const sessionId = await world.sessionId();
  const [block] = await world.store.dcp.blocks(sessionId);
  const [row] = await world.store.compactions.ledger({ sessionId, limit: 5 });

  expect(told.slice(3).sort()).toEqual([
    'compressed',
    expect.stringMatching(
      /^ℹ️ 4 messages condensed by the model, about [\d,]+ tokens saved; .*\nb1: the harbour \(m0001 to m0004\)$/,
    ),
  ]);
  expect(heard).toHaveLength(6);
  expect(block).toMatchObject({
    number: 1,
    activity: 'active',
    startRef: 'm0001',
    endRef: 'm0004',
    body: summary,
  });
  expect(row).toMatchObject({
    id: block!.compactionId,
    engine: 'dcp',
    layer: 'model_tool',
    trigger: 'model_tool',
    outcome: 'success',
    inPlace: true,
    figures: { rowsArchived: 0, summaryCalls: 0 },
  });
  expect(row!.figures!.tokensAfter).toBeLessThan(row!.figures!.tokensBefore);
  expect(await world.history.countEvents([sessionId], 'session:compress')).toBe(1);
  const rows = await world.rows();
  expect(JSON.stringify(rows.slice(0, 6).map(({ id, parts, seq }) => ({ id, parts, seq })))).toBe(before);
  expect(rows.every(({ state }) => state === 'live')).toBe(true);
  expect(lastPrompt(world)).toContain(summary);
  expect(lastPrompt(world)).not.toContain('first question');

  const undone = await talk(world, ['/undo_compaction', 'fifth question']);

  expect(undone.at(-2)).toMatch(/^ℹ️ Taken back: 4 messages are in the conversation again, word for word/);
  expect(await world.store.dcp.blocks(sessionId)).toMatchObject([{ number: 1, activity: 'user_off' }]);
  expect(lastPrompt(world)).toContain('first question');
  expect(lastPrompt(world)).not.toContain('Record of earlier messages');
});

test('several compress calls of one answer build on each other; refused ones among and behind them change nothing but their count', async () => {
  await using world = await openTurnWorld({ script: answer, config });
  await talk(world, ['first question', 'second question', 'third question']);

  await world.say('compress twice');
  const heard = await world.hear(6);
  await talk(world, ['fourth question']);
  const sessionId = await world.sessionId();
  const blocks = await world.store.dcp.blocks(sessionId);
  const state = await world.store.dcp.load(sessionId);

  expect(heard).toContain('compressed, refused, compressed, refused');
  expect(
    blocks.map(({ number, activity, startRef, endRef }) => [number, activity, startRef, endRef]),
  ).toEqual([
    [1, 'consumed', 'm0001', 'm0002'],
    [2, 'active', 'b1', 'm0004'],
  ]);
  expect(state).toMatchObject({ version: 2, counters: { compressCalls: 4, compressFailures: 2 } });
  const ledger = await world.store.compactions.ledger({ sessionId, limit: 5 });
  expect(ledger.map((row) => row.id)).toEqual([blocks[1]!.compactionId, blocks[0]!.compactionId]);
});
