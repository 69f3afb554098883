import { type NewRow, type OpenRound, type Tool } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { resumeRound } from '../../packages/agent/src/run-tools.ts';
import { aSession, callRow } from '../support/memory-transcript.ts';

/** A tool that answers with its name and how often it ran. */
function tool(name: string, wish: Partial<Tool> = {}): Tool {
  let runs = 0;
  return {
    schema: { name, description: '', parameters: { type: 'object' } },
    repeatable: true,
    run: () => Promise.resolve({ text: `${name} ${++runs}`, isError: false }),
    ...wish,
  };
}

const answered = (callId: string, name: string, text: string): NewRow => ({
  role: 'tool',
  kind: 'tool',
  parts: [{ type: 'tool_result', callId, name, text, isError: false }],
  tokens: 10,
});

async function resumed(open: OpenRound, tools: readonly Tool[]): Promise<string[]> {
  const rows = await resumeRound(open, {
    box: {
      tools: new Map(tools.map((one) => [one.schema.name, one])),
      timeoutMs: 1_000,
      maxResultTokens: 1_000,
    },
    scope: { session: aSession(), turnId: 't1', senderIds: [], signal: new AbortController().signal },
    step: 1,
    save: () => Promise.resolve(),
  });
  return rows.map((row) => (row.parts[0]?.type === 'tool_result' ? row.parts[0].text : ''));
}

const assistant = callRow([
  { id: 'a', name: 'compress' },
  { id: 'b', name: 'look' },
  { id: 'c', name: 'send' },
]);

test('a tool whose change goes with the round runs again after a crash, others keep their stored answer', async () => {
  const open: OpenRound = {
    step: 1,
    rows: [assistant, answered('a', 'compress', 'stored a'), answered('b', 'look', 'stored b')],
  };
  const tools = [
    tool('compress', { isStoredWithRound: true }),
    tool('look'),
    tool('send', { repeatable: false }),
  ];

  expect(await resumed(open, tools)).toEqual([
    'compress 1',
    'stored b',
    'interrupted: the tool was stopped before it gave a result; it was not run again',
  ]);
});

test('without a stored answer repeatable tools run, and so do later ones that were never started', async () => {
  const tools = [
    tool('compress', { isStoredWithRound: true }),
    tool('look'),
    tool('send', { repeatable: false }),
  ];

  expect(await resumed({ step: 1, rows: [assistant] }, tools)).toEqual(['compress 1', 'look 1', 'send 1']);
});
