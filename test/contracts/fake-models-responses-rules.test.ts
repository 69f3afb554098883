import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startFakeModel, type FakeModel, type FakeModelOptions } from '@palimpsest/testkit';

type Body = Record<string, unknown>;

const user = (text: string): Body => ({ role: 'user', content: [{ type: 'input_text', text }] });
const call = (id: string): Body => ({
  type: 'function_call',
  call_id: id,
  name: 'clock',
  arguments: '{}',
});
const output = (id: string): Body => ({ type: 'function_call_output', call_id: id, output: 'noon' });
const tool = { type: 'function', name: 'clock', parameters: { type: 'object' }, strict: false };

/** Send any body through the vendor's SDK and give back what came of it. */
async function send(body: Body, more: Partial<FakeModelOptions> = {}): Promise<string> {
  await using model = await startResponses(more);
  return await ask(model, body);
}

function startResponses(more: Partial<FakeModelOptions> = {}): Promise<FakeModel> {
  return startFakeModel({
    dialect: 'openai-responses',
    window: 1000,
    script: () => ({ text: 'ok' }),
    ...more,
  });
}

async function ask(model: FakeModel, body: Body, headers: Record<string, string> = {}): Promise<string> {
  const client = new OpenAI({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const whole = { model: 'gpt-5.6', store: false, input: [user('Hi')], ...body };
  const answer: unknown = await client
    .post('/responses', { body: whole, headers })
    .catch((caught: unknown) => caught);
  return answer instanceof OpenAI.APIError ? answer.message : 'taken';
}

test.each<[string, Body]>([
  ['a plain question', {}],
  ['a text as input', { input: 'Hi' }],
  ['a call and its output', { input: [user('t'), call('a'), output('a')] }],
  [
    'parallel calls answered in any order',
    { input: [user('t'), call('a'), call('b'), output('b'), output('a')] },
  ],
  ['tools', { tools: [tool] }],
  ['a request to condense', { context_management: [{ type: 'compaction', compact_threshold: 900 }] }],
  [
    'an answer as text parts',
    { input: [{ role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }, user('t')] },
  ],
])('%s is taken', async (_what, body) => {
  expect(await send(body)).toBe('taken');
});

test.each<[string, Body, RegExp]>([
  ['an unknown parameter', { colour: 'red' }, /Unknown parameter: 'colour'/],
  [
    'an unknown field of an item',
    { input: [{ ...user('a'), mood: 1 }] },
    /Unknown parameter: 'input\[0\]\.mood'/,
  ],
  ['an unknown kind of item', { input: [{ type: 'thought' }] }, /Invalid value: 'thought'/],
  ['no input', { input: undefined }, /Missing required parameter: 'input'/],
  ['an empty input', { input: [] }, /must be provided/],
  [
    "a person's words in an answer",
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
    /Supported values are: 'output_text', 'refusal'/,
  ],
  [
    'an output without its call',
    { input: [user('t'), output('a')] },
    /No tool call found for function call output with call_id a/,
  ],
  [
    'a call without output',
    { input: [user('t'), call('a'), user('and?')] },
    /No tool output found for function call a/,
  ],
  ['an output before its call', { input: [user('t'), output('a'), call('a')] }, /No tool call found/],
  [
    'the same output twice',
    { input: [user('t'), call('a'), output('a'), output('a')] },
    /Duplicate item found with call_id a/,
  ],
  [
    'arguments as an object',
    { input: [{ ...call('a'), arguments: {} }, output('a')] },
    /Missing required parameter: 'input\[0\]\.arguments'/,
  ],
  ['too small a limit', { max_output_tokens: 5 }, /Expected a value >= 16/],
  ['temperature on a reasoning model', { temperature: 0.2 }, /'temperature' is not supported/],
  [
    'an earlier response that is not kept',
    { previous_response_id: 'resp_1' },
    /Previous response with id 'resp_1' not found/,
  ],
  [
    'a tool in the chat form',
    { tools: [{ type: 'function', function: { name: 'clock' } }] },
    /Invalid 'tools\[0\]\.name'/,
  ],
  [
    'a strict tool with an optional field',
    {
      tools: [
        {
          type: 'function',
          name: 'clock',
          parameters: { type: 'object', properties: { at: {} }, additionalProperties: false },
        },
      ],
    },
    /Invalid schema for function 'clock'/,
  ],
  [
    'reasoning that is not kept',
    { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }, call('a'), output('a')] },
    /not persisted when `store` is set to false/,
  ],
  [
    'reasoning of another server',
    {
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e30.x' },
        call('a'),
        output('a'),
      ],
    },
    /could not be verified/,
  ],
  [
    'a checkpoint of another server',
    { input: [{ type: 'compaction', encrypted_content: 'e30.x' }, user('t')] },
    /could not be verified/,
  ],
  [
    'a trigger that is not last',
    { input: [{ type: 'compaction_trigger' }, user('t')] },
    /must be the last input item/,
  ],
  [
    'a condensing of another kind',
    { context_management: [{ type: 'forget', compact_threshold: 1 }] },
    /Invalid value: 'forget'/,
  ],
  [
    'a prompt over the window',
    { input: [user('word '.repeat(2000))] },
    /exceeds the context window of this model/,
  ],
])('%s is refused', async (_what, body, words) => {
  expect(await send(body)).toMatch(words);
});

test('older models fail instead of refusing to condense', async () => {
  const body = { context_management: [{ type: 'compaction', compact_threshold: 900 }] };

  expect(await send({ ...body, model: 'gpt-5.2' })).toMatch(/^500/);
  expect(await send({ ...body, model: 'gpt-5.5' })).toMatch(/'context_management' is not supported/);
});

test.each<[string, Body, Record<string, string>, RegExp | string]>([
  ['all it wants', {}, {}, 'taken'],
  ['a stored answer', { store: true }, {}, /Store must be set to false/],
  ['a limit of the answer', { max_output_tokens: 100 }, {}, /Unsupported parameter: max_output_tokens/],
  ['no account', {}, { 'chatgpt-account-id': '' }, /Missing chatgpt-account-id/],
  ['no originator', {}, { originator: '' }, /Missing originator/],
])('the subscription service given %s', async (_what, body, headers, words) => {
  await using model = await startResponses({ flavour: 'codex' });
  const usual = { 'chatgpt-account-id': 'account-1', originator: 'test' };

  const said = await ask(model, { stream: true, ...body }, { ...usual, ...headers });

  if (typeof words === 'string') expect(said).toBe(words);
  else expect(said).toMatch(words);
});
