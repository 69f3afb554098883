/** `palimpsest doctor` as an operator runs it, in a folder with a config. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type Ended } from './chaos/program.ts';

interface Found {
  what: string;
  state: string;
  words: string;
}

type Environment = Readonly<Record<string, string>>;

export async function doctor(env: Environment, config: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-doctor-'));
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  try {
    const { ended, out } = await runDoctor(folder, env, '--json');
    return { code: ended.code, out, findings: (JSON.parse(out) as { findings: Found[] }).findings };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function runDoctor(
  folder: string,
  env: Environment,
  ...words: string[]
): Promise<{ ended: Ended; out: string }> {
  const program = launch({ command: ['apps/cli/src/main.ts', 'doctor', ...words], env, folder });
  const ended = await program.ended;
  return { ended, out: program.output() };
}

export const ofPart = (findings: readonly Found[], part: string): string[] =>
  findings.filter(({ what }) => what === part).map(({ state, words }) => `${state}: ${words}`);
