import type {
  CompactionPlan,
  DcpChange,
  DcpMark,
  DcpState,
  DcpUnitId,
  MessageRow,
  NoPlan,
} from '@palimpsest/core';
import type { GroundInput } from '../compress/ground.ts';
import { raisedNudge } from '../nudges/decide-nudge.ts';
import { applyChange } from '../state/apply-change.ts';
import { layOut, shownRowIds } from '../transform/lay-out.ts';
import { measureLayout } from '../transform/measure.ts';
import { chooseSpans, type HostSpan } from './choose-spans.ts';
import { oversizedMarks, shownTexts, strategyMarks } from './free-marks.ts';
import { keptUnits, strictnesses, type Strictness } from './kept-units.ts';
import { noCost, noRoom, roomPlan } from './room-plan.ts';
import {
  scaleOf,
  summaryTokensOf,
  type RoomCause,
  type RoomGround,
  type RoomHelp,
  type RoomStage,
} from './room-ground.ts';
import { writeBlocks } from './write-blocks.ts';

/** Share of the room for the prompt below which marks alone are enough. */
const easedShare = 0.85;
/** A plan that saves less than this would only be asked for again. */
const leastSavedShare = 0.03;

/**
 * Room without the model's doing, in steps that each go no further than needed:
 *
 *   strategies (and in an emergency stubs of oversized old outputs) ─ enough? ─► plan of marks
 *   summary of the oldest spans by the summariser, else written without it ────► plan with a block
 *   nothing to take out, nothing saved ────────────────────────────────────────► none
 *
 * Never writes; never throws for a model failure. The newest message of the person always stays.
 */
export async function makeRoom(
  ground: RoomGround,
  cause: RoomCause,
  help: RoomHelp,
): Promise<CompactionPlan | NoPlan> {
  const bodies = await ground.view.bodies(shownRowIds(layOut(ground.state, ground.view.rows)));
  const before = stageOf(ground, ground.state);
  const strictness = cause === 'hygiene' ? 'configured' : neededStrictness(ground, before);
  const keeps = keptUnits(groundInput(ground), strictness);
  const marks = marksFor(ground, { cause, before, bodies, keeps });
  const marked =
    marks.length === 0 ? before : stageOf(ground, applyChange(ground.state, changeOf(ground, { marks })));
  if (marks.length > 0 && isEased(ground, marked))
    return plan(ground, { cause, before, after: marked, marks });
  if (cause === 'hygiene' && ground.config.hygiene === 'observe')
    return marks.length > 0 ? plan(ground, { cause, before, after: marked, marks }) : observed(ground);
  const spans = spansFor(ground, marked, keeps);
  if (spans.length === 0) {
    if (marks.length > 0) return plan(ground, { cause, before, after: marked, marks });
    return noRoom(
      'noop',
      'protected_only',
      'all that is shown is protected: newest messages and earlier blocks',
    );
  }
  const written = await writeBlocks({ ground, cause, stage: marked, spans, bodies }, help);
  if (written.kind === 'none') return written;
  const change = changeOf(ground, { marks, blocks: written.blocks });
  const after = stageOf(ground, applyChange(ground.state, change));
  return plan(ground, { cause, before, after, marks, written });
}

/** Nothing can be cleared away: the next nudge speaks plainly, and that is all. */
function observed({ state }: RoomGround): NoPlan {
  const none = noRoom('noop', 'model_asked', 'observed only: the next nudge is firmer');
  const change: DcpChange = { baseVersion: state.version, nudge: raisedNudge(state.nudge) };
  return { ...none, stateChange: { engine: 'dcp', json: change } };
}

function groundInput({ state, config, view, request }: RoomGround): GroundInput {
  return { state, config, view, windowTokens: request.budget.windowTokens };
}

function windowOf({ request }: RoomGround): number {
  return request.budget.windowTokens;
}

function stageOf(ground: RoomGround, state: DcpState): RoomStage {
  const { view, config, request } = ground;
  const first = measureLayout(layOut(ground.state, view.rows), ground.state, config);
  const layout = layOut(state, view.rows);
  const sizes = state === ground.state ? first : measureLayout(layout, state, config);
  const promptTokens = Math.round(request.budget.overheadTokens + sizes.tokens * scaleOf(ground, first));
  return { state, layout, sizes, promptTokens };
}

function hardLimitOf({ request }: RoomGround): number {
  return request.budget.windowTokens - request.budget.outputReserveTokens;
}

function isEased(ground: RoomGround, { promptTokens }: RoomStage): boolean {
  return promptTokens < Math.min(windowOf(ground), hardLimitOf(ground)) * easedShare;
}

/** Real tokens that the prompt is to come down to. */
function goalTokens(ground: RoomGround): number {
  const { overheadTokens } = ground.request.budget;
  const room = Math.max(0, hardLimitOf(ground) - overheadTokens);
  return overheadTokens + room * ground.config.emergency.targetRatio;
}

/** The least strict tail with which all that may go would be enough; the strictest where none is. */
function neededStrictness(ground: RoomGround, stage: RoomStage): Strictness {
  const scale = scaleOf(ground, stage.sizes);
  const limit = hardLimitOf(ground) * easedShare;
  const found = strictnesses.find((strictness) => {
    const keeps = keptUnits(groundInput(ground), strictness);
    const stays = stage.layout.items.reduce(
      (sum, item, index) =>
        item.kind === 'unit' && keeps.has(item.unit.id) ? sum + stage.sizes.items[index]! : sum,
      0,
    );
    const summaries = summaryTokensOf(ground);
    return ground.request.budget.overheadTokens + (stays + summaries) * scale < limit;
  });
  return found ?? 'least';
}

function marksFor(
  { state, config }: RoomGround,
  at: {
    cause: RoomCause;
    before: RoomStage;
    bodies: ReadonlyMap<number, MessageRow>;
    keeps: ReadonlySet<DcpUnitId>;
  },
): readonly DcpMark[] {
  const texts = shownTexts(at.before.layout, at.bodies);
  const free = strategyMarks(state, texts, { config, force: at.cause === 'emergency' });
  const known = new Set(free.map((mark) => `${mark.unitId} ${mark.callId}`));
  const large = at.cause === 'emergency' ? oversizedMarks(state, texts, { config, keeps: at.keeps }) : [];
  const marks = [...free, ...large.filter((mark) => !known.has(`${mark.unitId} ${mark.callId}`))];
  // The run of the blocks that come with them, so that an undo takes both back.
  return marks.map((mark) => ({ ...mark, run: state.nextRun }));
}

function spansFor(ground: RoomGround, stage: RoomStage, keeps: ReadonlySet<DcpUnitId>): readonly HostSpan[] {
  const scale = scaleOf(ground, stage.sizes);
  return chooseSpans({
    items: stage.layout.items,
    itemTokens: stage.sizes.items,
    keeps,
    needTokens: (stage.promptTokens - goalTokens(ground)) / scale,
    summaryTokens: summaryTokensOf(ground),
  });
}

/** Every change of one attempt rests on the state as it is stored. */
function changeOf({ state, refs }: RoomGround, more: Omit<DcpChange, 'baseVersion'>): DcpChange {
  return { baseVersion: state.version, ...(refs.length > 0 ? { refs } : {}), ...more };
}

type WrittenBlocks = Extract<Awaited<ReturnType<typeof writeBlocks>>, { kind: 'blocks' }>;

function plan(
  ground: RoomGround,
  made: {
    cause: RoomCause;
    before: RoomStage;
    after: RoomStage;
    marks: readonly DcpMark[];
    written?: WrittenBlocks;
  },
): CompactionPlan | NoPlan {
  const { cause, before, after, marks, written } = made;
  const saved = before.promptTokens - after.promptTokens;
  if (saved < before.promptTokens * leastSavedShare) {
    const refused = noRoom(
      'ineffective',
      'none',
      'what could be taken out would not make the prompt smaller',
    );
    return { ...refused, summaryCalls: written?.cost.calls ?? 0, cooldownMs: written?.cooldownMs };
  }
  const isEmergency = cause === 'emergency';
  const isStillTight = after.promptTokens >= windowOf(ground) * easedShare;
  const change = changeOf(ground, {
    ...(marks.length > 0 ? { marks } : {}),
    ...(written ? { blocks: written.blocks } : {}),
    ...(isEmergency || !written ? { nudge: raisedNudge(ground.state.nudge) } : {}),
    ...(isStillTight ? { hygiene: { triedVersion: after.state.version } } : {}),
    counts: isEmergency ? { emergencies: 1 } : { hygieneBlocks: written?.blocks.length ?? 0 },
    events: [
      {
        kind: cause,
        detail: {
          blocks: (written?.blocks ?? []).map((block) => `b${block.number}`),
          marks: marks.length,
          tokensBefore: before.promptTokens,
          tokensAfter: after.promptTokens,
        },
      },
    ],
  });
  return roomPlan(ground.request, {
    change,
    tokensAfter: Math.max(0, ground.request.promptTokens - saved),
    before: before.layout,
    after: after.layout,
    outcome: written?.outcome ?? 'success',
    reason: written?.reason ?? 'none',
    summaryModel: written?.summaryModel ?? null,
    summaryTokens: (written?.blocks ?? []).reduce((sum, block) => sum + block.summaryTokens, 0),
    escalation: written?.escalation ?? 'normal',
    rowsDroppedWithoutSummary: written?.rowsDroppedWithoutSummary ?? 0,
    cost: written?.cost ?? noCost,
    cooldownMs: written?.cooldownMs,
  });
}
