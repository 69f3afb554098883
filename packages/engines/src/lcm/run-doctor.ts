import type { CompactionPlan, TranscriptView } from '@palimpsest/core';
import type { CompressGround } from './compress-ground.ts';
import { doctorLines, repairPlan } from './doctor.ts';
import type { LcmParts } from './engine-parts.ts';
import type { Say } from '../words/say.ts';
import { SummaryDesk } from './summary-desk.ts';

/** What is wrong with the summaries of a session, in lines. */
export async function runDoctor(
  { session }: TranscriptView,
  { store }: LcmParts,
  say: Say,
): Promise<readonly string[]> {
  return doctorLines(await store.doctor(session.id), say);
}

/** Write weak summaries anew; a text says why it cannot be tried. */
export async function runRepair(
  view: TranscriptView,
  { store, reader, clock, config, measures }: LcmParts,
  { say, ...ground }: Pick<CompressGround, 'bodies' | 'items' | 'sizes' | 'style'> & { say: Say },
): Promise<CompactionPlan | null | string> {
  if (!reader) return say('lcmNoModel');
  const { lcm } = config.context;
  const endAt = clock.now().getTime() + lcm.sweep_deadline_ms;
  const desk = new SummaryDesk({
    summarisers: [reader],
    measures,
    store,
    config: lcm,
    sessionId: view.session.id,
    clock,
    signal: AbortSignal.timeout(lcm.sweep_deadline_ms),
    resting: new Set(),
    isSpendFree: true,
  });
  return repairPlan(view, await store.doctor(view.session.id), {
    ...ground,
    store,
    desk,
    config: lcm,
    restMs: () => Math.max(1, endAt - clock.now().getTime()),
  });
}
