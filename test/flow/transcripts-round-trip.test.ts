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

interface Place {
  world: TurnWorld;
  engine: string;
}

async function palimpsest(place: Place, ...words: string[]): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-round-'));
  const model = { provider: 'anthropic', name: 'claude-sonnet-5', context_length: window };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ model, context: { engine: place.engine } }));
  const env = { DATABASE_URL: place.world.databaseUrl, ANTHROPIC_API_KEY: 'test' };
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

test.skipIf(recordings.missing).each([
  ['chat/locomo-conv-26.jsonl', 'compressor'],
  ['agent/swe-play-trajectories.jsonl', 'compressor'],
  ['chat/locomo-conv-26.jsonl', 'lcm'],
])(
  '%s, %s: a preview changes nothing and foresees the rows that leave; an undo brings every one of them back as it was',
  async (name, engine) => {
    await using world = await openTurnWorld({
      script: answering(),
      window,
      config: `context: {engine: ${engine}}`,
    });
    const place = { world, engine };
    const { sessionId, messages } = await palimpsest(
      place,
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

    const preview = await palimpsest(place, 'session', 'preview', id);
    const untouched = await liveRows();
    const compact = await palimpsest(place, 'session', 'compact', id);
    const condensed = await liveRows();
    const undo = await palimpsest(place, 'session', 'undo-compaction', id);
    const after = await liveRows();

    expect(before).toHaveLength(Number(messages));
    expect(untouched).toEqual(before);
    const figures = (compact['compaction'] as { figures: { rowsArchived: number; rowsAfter: number } })
      .figures;
    const foreseen = (preview['ranges'] as { rows: number }[]).reduce((sum, { rows }) => sum + rows, 0);
    expect(figures.rowsArchived).toBeGreaterThan(0);
    expect(foreseen).toBe(figures.rowsArchived);
    // The lossless engine's summaries lie beside the transcript; the others are rows of it.
    expect(condensed).toHaveLength(
      engine === 'lcm' ? before.length - figures.rowsArchived : figures.rowsAfter,
    );
    expect(undo['answer']).toMatch(/^Taken back: /);
    expect(after).toEqual(before);
  },
  240_000,
);

test.skipIf(recordings.missing)(
  'under the model-guided engine the commands condense nothing by themselves: the model is asked, and every row stays',
  async () => {
    await using world = await openTurnWorld({
      script: answering(),
      window,
      config: 'context: {engine: dcp}',
    });
    const place = { world, engine: 'dcp' };
    const file = join(recordings.path, 'chat/locomo-conv-26.jsonl');
    const { sessionId } = await palimpsest(place, 'import', file, '--chat', 'past');
    const id = String(sessionId);
    const before = await world.store.transcript.liveRows(id);

    const preview = await palimpsest(place, 'session', 'preview', id);
    await palimpsest(place, 'session', 'compact', id);

    expect(preview['ranges']).toEqual([]);
    expect(await world.store.compactions.ledger({ sessionId: id, limit: 5 })).toMatchObject([
      { engine: 'dcp', layer: 'manual', outcome: 'noop', reason: 'model_asked' },
    ]);
    expect(await world.store.transcript.liveRows(id)).toEqual(before);
  },
  120_000,
);
