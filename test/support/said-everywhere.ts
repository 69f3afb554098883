/** A database in which something was said wherever something can be said: with "ferry" in each text. */
import type { DcpChange } from '@palimpsest/core';
import { troubledReply } from './board-figures.ts';
import { deadEvent, deadMessage } from './dead-letters.ts';
import { applyPlan, sessionWith } from './compacted-sessions.ts';
import { openCompaction, summaryPlan } from './plans.ts';
import { aBlock, callRows, dcpOf } from './stored-dcp.ts';
import type { StoreWorld } from './store-world.ts';

export const isSaid = (text: string): boolean => /ferry/i.test(text);

export interface SaidPlaces {
  /** A summary took the place of another one by this compaction, and rows lie under it. */
  condensed: { id: string; compaction: number; summary: number };
  /** Two blocks of the model's own, written by this compaction. */
  blocks: { id: string; compaction: number };
  replies: { dead: number; unknown: number };
  message: { sessionId: string; seq: number };
  event: { subscriber: string; id: number };
}

export async function sayEverywhere(world: StoreWorld): Promise<SaidPlaces> {
  const condensed = await twiceCondensed(world);
  const blocks = await withBlocks(world);
  const replies = {
    dead: await troubledReply(world, condensed.session, { state: 'dead', problem: 'given up' }),
    unknown: await troubledReply(world, condensed.session, { state: 'unknown' }),
  };
  const message = await deadMessage(world, condensed.session);
  const event = await deadEvent(world, condensed.session);
  await world.query(
    `UPDATE sessions SET title = 'When the ferry goes', ineffective_streak = 2, last_prompt_tokens = 900000`,
  );
  return { condensed: condensed.place, blocks, replies, message, event };
}

const lines = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `Line ${index + 1}: the ferry leaves at noon.`);

async function twiceCondensed(world: StoreWorld) {
  const session = await sessionWith(world, lines(8));
  const { sessionId: id } = session;
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 3), 'They spoke of a ferry.'));
  const [former] = await world.query<{ id: string }>(
    `SELECT id FROM messages WHERE session_id = $1 AND kind = 'summary'`,
    [id],
  );
  const under = [Number(former!.id), ...session.ids.slice(3, 5)];
  const compaction = await applyPlan(world, session, summaryPlan(under, 'They spoke of the ferry at noon.'));
  const [summary] = await world.query<{ id: string }>(
    `SELECT id FROM messages WHERE session_id = $1 AND kind = 'summary' AND active = 1`,
    [id],
  );
  return { session, place: { id, compaction, summary: Number(summary!.id) } };
}

async function withBlocks(world: StoreWorld): Promise<SaidPlaces['blocks']> {
  const session = await sessionWith(world, lines(4));
  await world.append(session.lease, callRows('call-1', 'terminal', '{"command": "ferry"}'));
  const [one, two, three, four] = session.ids as [number, number, number, number];
  const spoken = { topic: 'the ferry', batchTopic: 'ferries', body: 'The ferry leaves at noon.' };
  const compaction = await openCompaction(world.compactions, session.sessionId);
  const change: DcpChange = {
    baseVersion: 0,
    refs: [one, two, three, four].map((unitId, index) => ({ unitId, number: index + 1 })),
    blocks: [
      aBlock({ number: 1, unitIds: [one, two], ...spoken }),
      aBlock({ number: 2, unitIds: [three], ...spoken }),
    ],
    marks: [{ unitId: four, callId: 'call-1', reason: 'sweep', run: 1, tokens: 10 }],
    counts: { nudges: 1, compressCalls: 1 },
    events: [{ kind: 'compress', detail: { blocks: ['b1'] } }],
  };
  await dcpOf(world).write(session.lease, change, compaction);
  await world.query(`UPDATE sessions SET engine = 'dcp' WHERE id = $1`, [session.sessionId]);
  return { id: session.sessionId, compaction };
}
