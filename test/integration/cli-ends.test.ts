import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { launch } from '../support/chaos/program.ts';

const anHour = `data:text/javascript,setTimeout(() => {}, 3_600_000)`;

test('a program whose work is done ends, whatever a library still waits for', async () => {
  const program = launch({
    command: ['apps/cli/src/main.ts', '--help'],
    env: {},
    folder: tmpdir(),
    imports: [anHour],
  });

  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output()).toContain('palimpsest');
});
