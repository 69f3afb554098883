/** Older conversations become chats. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, textOfParts, type MessageRow } from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import { expect, test } from 'vitest';
import { readConversation } from '../../apps/cli/src/import/read-conversation.ts';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { createTestDatabase } from '../support/database.ts';
import { sharedPath } from '../support/shared.ts';

/** What a row says, in the words of the file it came from. */
function asLine(row: Pick<MessageRow, 'role' | 'parts' | 'sender'>) {
  const calls = row.parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ id: part.id, name: part.name, arguments: part.arguments }] : [],
  );
  const results = row.parts.flatMap((part) => (part.type === 'tool_result' ? [part] : []));
  return {
    role: row.role,
    content: results[0]?.text ?? textOfParts(row.parts.filter((part) => part.type === 'text')),
    ...(calls.length > 0 && { calls }),
    ...(results[0] && { callId: results[0].callId }),
  };
}

async function importAndRead(file: string): Promise<readonly MessageRow[]> {
  await using database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-import-'));
  const code = await runCommandLine({ env: { DATABASE_URL: database.url }, folder }, [
    'import',
    file,
    '--json',
  ]);
  rmSync(folder, { recursive: true });
  expect(code).toBeNull();
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 2 });
  try {
    const [session] = await store.operators.sessions({ limit: 2, offset: 0, order: 'activity' });
    return await store.transcript.page(session!.id, { afterSeq: 0, limit: 100_000 });
  } finally {
    await store.close();
  }
}

const recordings = sharedPath('transcripts');

test.skipIf(recordings.missing).each(['chat/locomo-conv-26.jsonl', 'agent/swe-play-trajectories.jsonl'])(
  'every line of %s is a row, in order, word for word',
  async (name) => {
    const file = join(recordings.path, name);
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { role: string; content: string | null; ts: string });

    const rows = await importAndRead(file);

    const spoken = lines.filter(({ role }) => role !== 'system');
    expect(rows).toHaveLength(spoken.length);
    expect(rows.map(({ sentAt }) => sentAt.getTime())).toEqual(
      spoken.map(({ ts }) => new Date(ts).getTime()),
    );
    for (const [index, row] of rows.entries()) {
      const { role, content } = asLine(row);
      const line = spoken[index]!;
      if (role === line.role) expect(content).toBe(line.content ?? '');
      else expect(content).toContain(line.content ?? '');
    }
  },
);

test('messages as the chat API writes them: parts, function calls, results; instructions are left out', () => {
  const text = [
    '{"role":"system","content":"be brief"}',
    '{"role":"user","name":"ann","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:"}}]}',
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\\"f\\":1}"}}]}',
    '{"role":"tool","tool_call_id":"c1","content":"done"}',
    '{"role":"tool","tool_call_id":"lost","content":"late"}',
    '{"role":"assistant","content":"ready","created_at":1700000000}',
  ].join('\n');

  const { rows, skipped } = readConversation(text, 'f', new Date('2026-01-01T00:00:00Z'));

  expect(skipped).toBe(1);
  expect(rows.map((row) => asLine({ ...row, sender: row.sender }))).toEqual([
    { role: 'user', content: 'look\n[image_url not imported]' },
    { role: 'assistant', content: '', calls: [{ id: 'c1', name: 'read', arguments: '{"f":1}' }] },
    { role: 'tool', content: 'done', callId: 'c1' },
    { role: 'assistant', content: '[tool] late' },
    { role: 'assistant', content: 'ready' },
  ]);
  expect(rows[0]?.sender).toEqual({ id: 'import:ann', name: 'ann' });
  expect(rows[0]?.sentAt?.toISOString()).toBe('2026-01-01T00:00:00.000Z');
  expect(rows[4]?.sentAt?.toISOString()).toBe('2023-11-14T22:13:20.000Z');
});

test.each([
  ['{"role":"user","content":"a"}\nnot json', 'f:2: not a JSON object'],
  ['{"role":"robot","content":"a"}', 'f:1: role is "robot"; allowed: user, assistant, tool'],
  ['{"role":"user","content":7}', 'f:1: content must be a text'],
  ['{"role":"user","content":"a","ts":"yesterday"}', 'f:1: "yesterday" is no time'],
  ['{"role":"user","content":""}', 'f:1: the line says nothing'],
  ['', 'f: no line holds a message'],
])('%j is refused as a whole', (text, problem) => {
  expect(() => readConversation(text, 'f', new Date(0))).toThrow(problem);
});

test('the same file twice is refused, unless it is to be appended', async () => {
  await using database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-import-'));
  writeFileSync(
    join(folder, 'talk.jsonl'),
    '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n',
  );
  const context = { env: { DATABASE_URL: database.url }, folder };

  const codes = [
    await runCommandLine(context, ['import', 'talk.jsonl']),
    await runCommandLine(context, ['import', 'talk.jsonl']),
    await runCommandLine(context, ['import', 'talk.jsonl', '--append']),
  ];
  rmSync(folder, { recursive: true });

  expect(codes).toEqual([null, 1, null]);
});
