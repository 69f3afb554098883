/** lcm_expand_query: one question, read from opened summaries by a model. */
import { estimateTokens } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { condense, lcmOf } from '../support/lcm.ts';
import type { LcmPostgresWorld } from '../support/lcm-postgres-world.ts';
import * as models from '../support/lcm-summarisers.ts';
import { openStoreWorld, type SessionWish, type StoreWorld } from '../support/store-world.ts';
import { zebraHistory } from '../support/zebra-history.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const aHistory = (chat: SessionWish = {}) => zebraHistory(world, chat);

const question = { prompt: 'What was said of zebra2?', query: 'zebra2' };
const reply = (ids: readonly string[]) => JSON.stringify({ answer: 'It was said.', cited_ids: ids });

test('A39 a question is answered from the leaf over the hits; ids that were made up are left out', async () => {
  const talk = await aHistory();
  talk.summariser = new models.BehavedSummariser(({ prompt }) =>
    reply([/sum_[0-9a-f]{16}/.exec(prompt)![0], 'sum_ffffffffffffffff']),
  );

  const { text, isError } = await talk.call('lcm_expand_query', question);

  const answer = JSON.parse(text) as Record<string, unknown>;
  expect(isError).toBe(false);
  expect(answer).toMatchObject({
    answer: 'It was said.',
    citedIds: [expect.stringMatching(/^sum_/)],
    sourceConversationIds: [talk.session.sessionId],
    expandedSummaryCount: 1,
  });
  const { requests } = talk.summariser as models.BehavedSummariser;
  expect(requests[0]!.prompt).toContain('zebra2');
});

test('A39 hits that stand word for word in the context need no reader', async () => {
  const talk = await aHistory();
  talk.summariser = new models.BehavedSummariser(() => reply([]));

  const { text } = await talk.call('lcm_expand_query', { prompt: 'zebra9?', query: 'zebra9' });

  expect(text).toContain('Nothing was found about this.');
  expect((talk.summariser as models.BehavedSummariser).requests).toHaveLength(0);
});

test.each([
  [{ query: 'zebra2' }, undefined, '"prompt" is missing'],
  [{ prompt: 'what?' }, undefined, '"query" or "summary_ids" is needed'],
  [question, (): string => 'Sure! It was said.', 'DELEGATED_EXPANSION_REPLY_INVALID'],
  [question, (): string => '{"answer": 5}', 'DELEGATED_EXPANSION_REPLY_INVALID'],
  [question, (): string => '', 'DELEGATED_EXPANSION_REPLY_MISSING'],
] as const)('A39 %j without a usable answer is an error, not an answer', async (input, behaviour, code) => {
  const talk = await aHistory();
  if (behaviour) talk.summariser = new models.BehavedSummariser(behaviour);

  const { text, isError } = await talk.call('lcm_expand_query', input);

  expect([isError, text]).toEqual([true, expect.stringContaining(code)]);
});

test('A39 an answer that does not come in time has its code, and the next question waits until the call has ended', async () => {
  const talk = await aHistory();
  let end: (text: string) => void = () => undefined;
  talk.summariser = new models.BehavedSummariser(
    () =>
      new Promise<string>((resolve) => {
        end = resolve;
      }),
  );
  talk.clock.sleep = () => Promise.resolve();
  const engine = await talk.engine();
  const view = await talk.view();
  const scope = { session: view.session, turnId: 't', senderIds: [], signal: new AbortController().signal };
  const ask = async () =>
    (
      await engine.handleToolCall(
        { id: 'c', name: 'lcm_expand_query', arguments: JSON.stringify(question) },
        scope,
        view,
      )
    ).result.text;

  const late = await ask();
  const blocked = await ask();
  end(reply([]));
  await new Promise((resolve) => setImmediate(resolve));
  const free = await ask();

  expect(late).toContain('DELEGATED_EXPANSION_TIMEOUT');
  expect(blocked).toContain('EXPANSION_CONCURRENCY_BLOCKED');
  expect(free).toContain('DELEGATED_EXPANSION_TIMEOUT');
});

/** Two conversations of one chat, both about the same. */
async function twoConversations(chatId: string): Promise<[LcmPostgresWorld, LcmPostgresWorld]> {
  return [await aHistory({ chatId }), await aHistory({ chatId })];
}

const historyOf = (prompt: string): string => /<history>\n([\s\S]*)\n<\/history>/.exec(prompt)![1]!;

test('A39 several conversations are read at once, and the tokens are divided evenly among them', async () => {
  const [talk, earlier] = await twoConversations('shared-budget');
  const begun = Promise.withResolvers<void>();
  const reader = new models.BehavedSummariser(async (_, call) => {
    if (call === 2) begun.resolve();
    // The first ends only when the second has begun.
    await begun.promise;
    return reply([]);
  });
  talk.summariser = reader;

  const { text } = await talk.call('lcm_expand_query', { ...question, token_cap: 401 });

  const sizes = reader.requests.map(({ prompt }) => estimateTokens(historyOf(prompt)));
  expect(sizes).toHaveLength(2);
  for (const size of sizes) expect(size).toBeGreaterThan(100);
  for (const size of sizes) expect(size).toBeLessThanOrEqual(201);
  const answer = JSON.parse(text) as Record<string, unknown>;
  expect(answer).toMatchObject({ answer: 'It was said.\n\nIt was said.', truncated: true });
  expect((answer.sourceConversationIds as string[]).toSorted()).toEqual(
    [talk.session.sessionId, earlier.session.sessionId].toSorted(),
  );
});

test('A39 where one conversation fails, the answer of the other is given and the failure is named', async () => {
  const [talk] = await twoConversations('partial');
  talk.summariser = new models.BehavedSummariser((_, call) => (call === 1 ? reply([]) : 'no JSON'));

  const { text, isError } = await talk.call('lcm_expand_query', question);

  expect(isError).toBe(false);
  const answer = JSON.parse(text) as Record<string, unknown>;
  expect(answer).toMatchObject({
    answer: 'It was said.',
    truncated: true,
    failed: ['DELEGATED_EXPANSION_REPLY_INVALID'],
  });
  expect(answer.sourceConversationIds).toHaveLength(1);
});

test('A39 above depth 1 hits among messages do not lead to summaries', async () => {
  const talk = await aHistory();
  const { items } = await lcmOf(world).load(talk.session.sessionId);
  await condense(world, talk.session, items, 'Older notes.');
  talk.summariser = new models.BehavedSummariser(() => reply([]));

  const { text } = await talk.call('lcm_expand_query', question);

  expect(text).toContain('Nothing was found about this.');
  expect((talk.summariser as models.BehavedSummariser).requests).toHaveLength(0);
});
