/**
 * What belongs to somebody else is not there, whatever a model or a person names. Searches by words stand in
 * test/integration/store-search.test.ts and lcm-search.test.ts; /sessions and /resume in store-resume.test.ts and
 * test/flow/commands-sessions.test.ts; rights over tools by who asks in test/flow/mcp-rights.test.ts.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPayload, sessionSearch } from '@palimpsest/agent';
import { defaultConfig } from '@palimpsest/core';
import { coverRows, lcmOf } from '../support/lcm.ts';
import { LcmPostgresWorld } from '../support/lcm-postgres-world.ts';
import { aSession } from '../support/memory-transcript.ts';
import { openStoreWorld, personRow, type StoreWorld, type TestSession } from '../support/store-world.ts';

const secret = 'walnut';
const text = `the ${secret} is under the stairs`;
const payloadId = createHash('sha256').update(text).digest('hex');

let world: StoreWorld;
let ada: { sessionId: string; messageId: number; summaryId: string; fileId: string };
let bob: TestSession;
beforeAll(async () => {
  world = await openStoreWorld();
  const session = await world.newSession({ userId: 'ada' });
  const rows = await world.append(session.lease, [
    { ...personRow(text), payloads: [{ id: payloadId, mime: 'text/plain', text }] },
    personRow('and the pear'),
  ]);
  const { leaf } = await coverRows(world, session, rows.slice(0, 1), `A ${secret} was hidden`);
  ada = {
    sessionId: session.sessionId,
    messageId: rows[0]!.id,
    summaryId: leaf.id,
    fileId: `file_${payloadId.slice(0, 16)}`,
  };
  bob = await world.newSession({ userId: 'bob' });
  await world.append(bob.lease, [personRow('my own pear')]);
});
afterAll(() => world[Symbol.asyncDispose]());

function scopeOfBob() {
  return {
    session: aSession({ id: bob.sessionId }),
    turnId: 't',
    senderIds: ['bob'],
    signal: new AbortController().signal,
    callId: 'c',
  };
}

describe('Bob’s model', () => {
  test('does not read around a message of Ada’s with session_search', async () => {
    const search = sessionSearch(world.transcript, 'UTC');

    const answers = [
      await search.run({ around_message_id: ada.messageId }, scopeOfBob()),
      await search.run({ around_message_id: ada.messageId, offset: 0 }, scopeOfBob()),
      await search.run({ query: secret }, scopeOfBob()),
    ];

    expect(answers.map((answer) => answer.text).join('\n')).not.toContain('under the stairs');
  });

  test('does not read a stored text of Ada’s with read_payload', async () => {
    const answer = await readPayload(world.transcript).run({ id: payloadId }, scopeOfBob());

    expect(answer).toEqual({ text: `no text with id "${payloadId}" in this conversation`, isError: true });
  });

  test('finds nothing of Ada’s by any tool of the lossless engine', async () => {
    const engine = new LcmPostgresWorld({ world, session: bob, config: defaultConfig() });
    const calls: readonly (readonly [tool: string, input: object])[] = [
      ['lcm_grep', { query: secret }],
      ['lcm_grep', { query: `${secret}.*`, mode: 'regex', conversation_id: ada.sessionId }],
      ['lcm_grep', { query: secret, scope: 'files', file_ids: [ada.fileId], all_conversations: true }],
      ['lcm_describe', { id: ada.summaryId }],
      ['lcm_describe', { id: ada.fileId, expand_file: true }],
      ['lcm_expand', { target_type: 'summary', target_id: ada.summaryId, include_messages: true }],
      ['lcm_expand', { target_type: 'message', target_id: String(ada.messageId) }],
      ['lcm_expand', { target_type: 'related', query: secret, conversation_id: ada.sessionId }],
      ['lcm_expand_query', { prompt: 'what was hidden?', summary_ids: [ada.summaryId] }],
      ['lcm_expand_query', { prompt: 'what was hidden?', query: secret, conversation_id: ada.sessionId }],
    ];

    for (const [tool, input] of calls) {
      const answer = await engine.call(tool, input);
      expect([tool, input, answer.text.includes('under the stairs')]).toEqual([tool, input, false]);
      expect([tool, input, answer.text.includes('was hidden')]).toEqual([tool, input, false]);
    }
    // The same names open it where it belongs.
    expect(await lcmOf(world).describe({ sessionId: ada.sessionId }, ada.summaryId)).toMatchObject({
      id: ada.summaryId,
    });
  });
});
