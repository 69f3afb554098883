import type { Part, PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { toItems } from '../../packages/providers/src/openai-responses/to-items.ts';
import { ToolIds } from '../../packages/providers/src/tool-ids.ts';

const fresh = () => ({ issuer: 'here', isRefused: () => false, ids: new ToolIds() });

const result = (callId: string, text: string): Part => ({
  type: 'tool_result',
  callId,
  name: 'look',
  text,
  isError: false,
});
const picture: Extract<Part, { type: 'payload' }> = {
  type: 'payload',
  payloadId: 'p',
  mime: 'image/png',
  bytes: 10,
  preview: '[a picture]',
};

test('a picture beside a result is read with it: nothing stands between the results of parallel calls', () => {
  expect(toItems({ role: 'tool', parts: [result('a', 'seen'), picture] }, fresh())).toEqual([
    {
      type: 'function_call_output',
      call_id: 'a',
      output: 'seen\n[a picture] (The picture itself is not shown to you.)',
    },
  ]);
});

test('of several results the last one has it, and an empty one says so', () => {
  expect(toItems({ role: 'tool', parts: [result('a', ' '), result('b', ''), picture] }, fresh())).toEqual([
    { type: 'function_call_output', call_id: 'a', output: '(no output)' },
    {
      type: 'function_call_output',
      call_id: 'b',
      output: '[a picture] (The picture itself is not shown to you.)',
    },
  ]);
});

test("a person's picture is part of their message: itself where it goes along, else its name", () => {
  const message: PromptMessage = { role: 'user', parts: [{ type: 'text', text: 'look' }, picture] };
  const images = new Map([[picture.payloadId, { mime: 'image/png', base64: 'iVBORw==' }]]);

  expect(toItems(message, fresh())).toEqual([
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'look\n[a picture] (The picture itself is not shown to you.)' }],
    },
  ]);
  expect(toItems(message, { ...fresh(), images })).toEqual([
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'look\n[a picture]' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw==', detail: 'auto' },
      ],
    },
  ]);
});

test('ids that begin anew each turn, as some servers give them, go out as ids of their own', () => {
  const context = fresh();
  const call: Part = { type: 'tool_call', id: 'functions.look:0', name: 'look', arguments: '' };
  const round = [
    { role: 'assistant' as const, parts: [call] },
    { role: 'tool' as const, parts: [result('functions.look:0', 'seen')] },
  ];

  const items = [...round, ...round].flatMap((message) => toItems(message, context));

  expect(items.map((item) => 'call_id' in item && item.call_id)).toEqual([
    'functions_look_0',
    'functions_look_0',
    'functions_look_0_2',
    'functions_look_0_2',
  ]);
});

test('an id longer than the service takes is cut, and stays an id of its own', () => {
  const ids = new ToolIds();

  expect(ids.call('x'.repeat(100))).toBe('x'.repeat(56));
  expect(ids.call(`${'x'.repeat(100)}y`)).toBe(`${'x'.repeat(56)}_2`);
  expect(ids.result('x'.repeat(100))).toBe('x'.repeat(56));
});
