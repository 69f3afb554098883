import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Scene } from './scene.ts';

/** A fake Codex program in a folder of its own. */
export interface FakeCodex {
  /** What the client starts. */
  readonly command: string;
  /** Play these next, instead of what is left of earlier ones. */
  play(...scenes: readonly Scene[]): void;
  /** Names of the environment variables that the program was started with, the shell's own left out. */
  variables(): string[];
  /** Everything the client wrote, in order. */
  heard(): readonly { id?: unknown; method?: string; params?: Record<string, unknown>; result?: unknown }[];
}

const program = fileURLToPath(new URL('./fake-app-server.ts', import.meta.url));

/** Write the program and its state into a folder, which the caller removes. */
export function writeFakeCodex(folder: string): FakeCodex {
  mkdirSync(folder, { recursive: true });
  const command = join(folder, 'codex');
  const scenes = join(folder, 'fake-scenes.json');
  const variables = join(folder, 'fake-environment');
  const journal = join(folder, 'fake-journal.jsonl');
  writeFileSync(
    command,
    `#!/bin/sh\nenv >'${variables}'\nexec '${process.execPath}' '${program}' '${folder}' "$@"\n`,
    {
      mode: 0o755,
    },
  );
  return {
    command,
    play: (...next) => writeFileSync(scenes, JSON.stringify(next)),
    variables: () =>
      readFileSync(variables, 'utf8')
        .split('\n')
        .flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? [])
        .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))
        .toSorted(),
    heard: () =>
      existsSync(journal)
        ? readFileSync(journal, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as ReturnType<FakeCodex['heard']>[number])
        : [],
  };
}
