/** Recorded conversations through the commands: brought in, looked ahead, condensed, taken back. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { sharedPath } from '../support/shared.ts';
import { answering } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

/** Wide enough that the whole recording may come back: an undo past the hard limit is refused. */
const window = 1_000_000;
const recordings = sharedPath('transcripts');

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

async function palimpsest(world: TurnWorld, ...words: string[]): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-round-'));
  const model = { provider: 'anthropic', name: 'claude-sonnet-5', context_length: window };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ model }));
  const env = { DATABASE_URL: world.databaseUrl, ANTHROPIC_API_KEY: 'test' };
  let said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((said += String(text))));
  try {
    expect(await runCommandLine({ env, folder }, [...words, '--json'])).toBe(null);
    return JSON.parse(said) as Record<string, unknown>;
  } finally {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  }
}

test.skipIf(recordings.missing).each(['chat/locomo-conv-26.jsonl', 'agent/swe-play-trajectories.jsonl'])(
  '%s: a preview changes nothing and foresees the rows that leave; an undo brings every one of them back as it was',
  async (name) => {
    await using world = await openTurnWorld({ script: answering(), window });
    const { sessionId, messages } = await palimpsest(
      world,
      'import',
      join(recordings.path, name),
      '--chat',
      'past',
    );
    const id = String(sessionId);
    const liveRows = async () =>
      (await world.store.transcript.liveRows(id)).map(
        ({ id: row, seq, role, kind, parts, sender, sentAt }) => ({
          row,
          seq,
          role,
          kind,
          parts,
          sender,
          sentAt,
        }),
      );
    const before = await liveRows();

    const preview = await palimpsest(world, 'session', 'preview', id);
    const untouched = await liveRows();
    const compact = await palimpsest(world, 'session', 'compact', id);
    const condensed = await liveRows();
    const undo = await palimpsest(world, 'session', 'undo-compaction', id);
    const after = await liveRows();

    expect(before).toHaveLength(Number(messages));
    expect(untouched).toEqual(before);
    const figures = (compact['compaction'] as { figures: { rowsArchived: number; rowsAfter: number } })
      .figures;
    const foreseen = (preview['ranges'] as { rows: number }[]).reduce((sum, { rows }) => sum + rows, 0);
    expect(figures.rowsArchived).toBeGreaterThan(0);
    expect(foreseen).toBe(figures.rowsArchived);
    expect(condensed).toHaveLength(figures.rowsAfter);
    expect(undo['answer']).toMatch(/^Taken back: /);
    expect(after).toEqual(before);
  },
  240_000,
);
