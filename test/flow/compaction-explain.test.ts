/** A compaction that is declined leaves its row and its count, and an operator is told why nothing happens. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { recordingMeter } from '../support/recording-meter.ts';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

/** Trigger 6,000, plans are made from 4,800 on, hard limit 7,200. A line and its answer: 660. */
const window = 8_000;

afterEach(() => vi.restoreAllMocks());

/** `session explain` of the world's session, with the window that the world's model has. */
async function explain(world: TurnWorld): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-explain-'));
  const model = { provider: 'anthropic', name: 'claude-sonnet-5', context_length: window };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ model }));
  const env = { DATABASE_URL: world.databaseUrl, ANTHROPIC_API_KEY: 'test' };
  let said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((said += String(text))));
  try {
    expect(await runCommandLine({ env, folder }, ['session', 'explain', await world.sessionId()])).toBe(null);
  } finally {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  }
  return said;
}

test('below the threshold explain tells how much is left; in a rest it tells which, and the skipped attempts are rows and counts', async () => {
  const { meter, counted } = recordingMeter();
  await using world = await openTurnWorld({
    script: (request) => (request.tools.length === 0 ? { fault: 'auth' } : answering()(request)),
    window,
    meter,
    summaryOnMain: true,
    config: 'compression: {background: false}',
  });
  await talk(world, 2);
  const quiet = await explain(world);

  await talk(world, 7);
  const resting = await explain(world);
  await talk(world, 1);

  expect(quiet).toMatch(/^engine {6}compressor, model anthropic\/claude-sonnet-5, summaries by /);
  expect(quiet).toMatch(/\nprompt {6}[\d,]+ tokens \(counted by the model\) of a window of 8,000\n/);
  expect(quiet).toContain('\nthresholds  prepared from 4,800, condensed from 6,000, never above 7,200\n');
  expect(quiet).toContain('\ncooldown    none\n');
  expect(quiet).toMatch(/\nnow {9}nothing: [\d,]+ tokens are left until it is condensed\n/);
  expect(resting).toMatch(/\ncooldown {4}until 20\S+Z \(summary_auth\)\n/);
  expect(resting).toContain('\nstreaks     1 failed, 0 without gain, 0 by the local summary\n');
  expect(resting).toContain('\nlast hour   0 of at most 30\n');
  expect(resting).toMatch(/\nnow {9}nothing although it is past the threshold: cooldown\n/);
  const ledger = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 20 });
  const skipped = ledger.filter(({ outcome }) => outcome === 'skipped');
  expect(skipped.map(({ reason }) => reason)).toContain('cooldown');
  expect(counted('gateway_compaction_attempts_total')).toContainEqual({
    layer: 'agent',
    trigger: 'threshold',
    outcome: 'skipped',
    reason: 'cooldown',
  });
});
