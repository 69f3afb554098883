import { expect, test } from 'vitest';
import { describeResult } from '../../packages/engines/src/compressor/tool-stub.ts';

const lines = (count: number): string => Array.from({ length: count }, () => 'line').join('\n');

test.each([
  [
    'terminal',
    { command: 'npm test' },
    `${lines(11)}\nexit code: 1`,
    'terminal "npm test" → exit 1, 12 lines, 67 characters',
  ],
  ['bash', { command: 'x'.repeat(200) }, 'ok', `bash "${'x'.repeat(79)}…", 1 line, 2 characters`],
  [
    'read_file',
    { path: 'src/app.ts', offset: 10, limit: 50 },
    lines(50),
    'read_file src/app.ts, offset 10, limit 50, 50 lines, 249 characters',
  ],
  [
    'str_replace_editor',
    { command: 'view', path: '/workspace/a.py', view_range: [1, 9] },
    lines(9),
    'str_replace_editor view /workspace/a.py, view_range [1,9], 9 lines, 44 characters',
  ],
  [
    'write_file',
    { path: 'src/app.ts', content: 'long' },
    'ok',
    'write_file src/app.ts, 1 line, 2 characters',
  ],
  ['patch', { file_path: 'src/a.ts', diff: '…' }, 'ok', 'patch src/a.ts, 1 line, 2 characters'],
  ['grep', { pattern: 'find_me', path: 'src' }, lines(2), 'grep "find_me", 2 lines, 9 characters'],
  ['web_search', { query: 'ferry times' }, 'ok', 'web_search "ferry times", 1 line, 2 characters'],
  [
    'browser_navigate',
    { url: 'https://example.org/a' },
    'ok',
    'browser_navigate "https://example.org/a", 1 line, 2 characters',
  ],
  [
    'delegate_task',
    { goal: 'g'.repeat(100) },
    'ok',
    `delegate_task "${'g'.repeat(59)}…", 1 line, 2 characters`,
  ],
  ['execute_code', { code: 'print(1)' }, 'ok', 'execute_code "print(1)", 1 line, 2 characters'],
  [
    'clarify',
    { question: 'Which city?' },
    'Kiel',
    'asked "Which city?", answered "Kiel", 1 line, 4 characters',
  ],
  ['clarify', { question: 'Which city?' }, 'K'.repeat(200), 'asked "Which city?", 1 line, 200 characters'],
  [
    'skill_view',
    { name: 'deploy' },
    'x'.repeat(5_001),
    'skill_view "deploy", a long skill text: load it again before using it, 1 line, 5001 characters',
  ],
  ['todo', { action: 'list' }, 'ok', 'todo action="list", 1 line, 2 characters'],
  [
    'frobnicate',
    { alpha: 'a'.repeat(50), beta: 2, gamma: 3 },
    'ok',
    `frobnicate alpha="${'a'.repeat(39)}…" beta="2", 1 line, 2 characters`,
  ],
] as const)(
  'a result of %s is one line: what was called, how it ended, its size',
  (name, input, result, line) => {
    const call = { name, arguments: JSON.stringify(input) };

    expect(describeResult(name, { call, result, isError: false })).toBe(line);
  },
);

test.each([
  ['not json', '{"command": '],
  ['a list', '[1, 2]'],
  ['null', 'null'],
  ['nothing', ''],
  ['a number for a command', '{"command": 7}'],
  ['nested', '{"command": {"a": [1, {"b": "\\ud800"}]}}'],
])('arguments that are %s never throw', (_, args) => {
  for (const name of ['terminal', 'read_file', 'clarify', 'skill', 'frobnicate', '']) {
    const line = describeResult(name, {
      call: { name, arguments: args },
      result: 'some\ntext',
      isError: true,
    });
    expect(line).toMatch(/failed, 2 lines, 9 characters$/);
    expect(line).not.toContain('\n');
  }
});

test('a result without its call is described by name and size', () => {
  expect(describeResult('terminal', { call: null, result: 'x', isError: false })).toBe(
    'terminal "", 1 line, 1 characters',
  );
});
