import { expect, test } from 'vitest';
import { compressSchema } from '../../../packages/engines/src/dcp/compress/tool-schema.ts';
import { CompressWorld, dcpConfig, talk } from '../../support/compress-world.ts';

const entry = { startId: 'm0001', endId: 'm0002', summary: 'They set up the project.' };
const message = { messageId: 'm0002', topic: 'the answer', summary: 'It was said.' };

async function problemsOf(args: unknown, mode: 'range' | 'message' = 'range'): Promise<string[]> {
  const world = talk(new CompressWorld(dcpConfig({}, { mode })), 3);
  const answer = await world.compress(args);
  expect(world.state.blocks).toEqual([]);
  return answer.error?.message.split('\n').slice(1) ?? ['ok'];
}

test('a blank topic is refused', async () => {
  expect(await problemsOf({ topic: '  ', content: [entry] })).toEqual([
    'E_TOPIC: topic: topic is blank; name it in three to five words',
  ]);
});

test('content that is missing, empty or no list is refused with an example of the mode', async () => {
  const wanted =
    'E_CONTENT: content: content is missing or empty; send a list such as [{"startId": "m0001", "endId": "m0009", "summary": "…"}]';

  expect(await problemsOf({ topic: 'a topic' })).toEqual([wanted]);
  expect(await problemsOf({ topic: 'a topic', content: [] })).toEqual([wanted]);
  expect(await problemsOf({ topic: 'a topic', content: 7 })).toEqual([wanted]);
  expect(await problemsOf({ topic: 'a topic', content: 'not json' })).toEqual([wanted]);
  expect(await problemsOf({ topic: 'a topic' }, 'message')).toEqual([
    'E_CONTENT: content: content is missing or empty; send a list such as [{"messageId": "m0001", "topic": "…", "summary": "…"}]',
  ]);
});

test('arguments that are no JSON object are refused', async () => {
  expect(await problemsOf('[1, 2')).toEqual([
    'E_CONTENT: the arguments are no JSON object; send {"topic": …, "content": […]}',
  ]);
});

test('every blank field of every entry is named by its path', async () => {
  expect(
    await problemsOf({
      topic: 'a topic',
      content: [{ startId: 'm0001', endId: '' }, { ...entry, summary: ' ' }, 5],
    }),
  ).toEqual([
    'E_FIELD: content[0].endId: content[0].endId is blank; fill it in',
    'E_FIELD: content[0].summary: content[0].summary is blank; fill it in',
    'E_FIELD: content[1].summary: content[1].summary is blank; fill it in',
    'E_FIELD: content[2].startId: content[2].startId is blank; fill it in',
    'E_FIELD: content[2].endId: content[2].endId is blank; fill it in',
    'E_FIELD: content[2].summary: content[2].summary is blank; fill it in',
  ]);
  expect(await problemsOf({ topic: 'a topic', content: [{ ...message, topic: '' }] }, 'message')).toEqual([
    'E_FIELD: content[0].topic: content[0].topic is blank; fill it in',
  ]);
});

test.each([
  ['a single entry', entry],
  ['a list as JSON text', JSON.stringify([entry])],
  ['an entry as JSON text', JSON.stringify(entry)],
  ['entries as JSON texts', [JSON.stringify(entry)]],
  ['refs with blanks, brackets and capitals', [{ ...entry, startId: ' M0001 ', endId: '[m0002]' }]],
])('content is taken for what it means: %s', async (_, content) => {
  const world = talk(new CompressWorld(), 3);

  const answer = await world.compress({ topic: 'a topic', content });

  expect(answer.ok).toBe(true);
  expect(world.state.blocks[0]?.unitIds).toEqual([101, 102]);
});

test('the tool asks for what its mode needs, and is the same for the whole session', () => {
  const range = compressSchema('range');
  const single = compressSchema('message');

  expect(range).toMatchObject({
    name: 'compress',
    parameters: {
      required: ['topic', 'content'],
      properties: { content: { items: { required: ['startId', 'endId', 'summary'] } } },
    },
  });
  expect(single).toMatchObject({
    parameters: { properties: { content: { items: { required: ['messageId', 'topic', 'summary'] } } } },
  });
  expect(JSON.stringify(compressSchema('range'))).toBe(JSON.stringify(range));
});

test('marks that a model copied into its summary are not stored', async () => {
  const world = talk(new CompressWorld(), 3);

  await world.range([
    { ...entry, summary: '<dcp-reminder>x</dcp-reminder>They set up the project. [m0002]' },
  ]);

  expect(world.state.blocks[0]?.body).toBe('They set up the project.');
});

test('a failed call is counted, uses up no number and is told to operators without a word of the text', async () => {
  const world = talk(new CompressWorld(), 3);

  const end = await world.tryCompress({ topic: 'secret topic', content: [{ ...entry, endId: 'm0099' }] });

  expect(end.change).toEqual({
    baseVersion: 0,
    counts: { compressCalls: 1, compressFailures: 1 },
    events: [{ kind: 'compress_failed', detail: { codes: ['E_REF_UNKNOWN'] } }],
  });
  expect(end.result.isError).toBe(true);
});
