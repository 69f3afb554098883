import {
  never,
  type CompactionPlan,
  type CompressRequest,
  type DcpChange,
  type NoPlan,
  type TranscriptView,
} from '@palimpsest/core';
import type { DcpDesk } from '../state/desk.ts';
import { makeRoom } from './make-room.ts';
import type { RoomGround, RoomHelp } from './room-ground.ts';
import { rewrite } from './rewrite.ts';
import { noRoom } from './room-plan.ts';

/** Hygiene acts from this share of the window on. */
const hygieneShare = 0.85;
/** Fewer messages than this are not worth a summary. */
const leastRows = 4;

/**
 * What a request for room comes to, by who asks:
 *
 *   manual (/compress) ───────────────── the model is asked to compress with its next step
 *   hygiene, there is still room ─────── as `context.dcp.hygiene` says
 *   hygiene or agent at the hard limit, refused by the provider ─ emergency
 *   background, threshold, idle ──────── nothing: the model decides
 */
export async function planRoom(
  desk: DcpDesk,
  asked: { view: TranscriptView; request: CompressRequest },
  help: RoomHelp,
): Promise<CompactionPlan | NoPlan> {
  if (!desk.config.enabled)
    return noRoom('noop', 'switched_off', 'this engine is switched off in the config');
  const made = await roomFor(desk, asked, help);
  // The engine is built anew behind it: what waited for the next request goes along.
  if (made.kind === 'none' || !made.state) return made;
  return { ...made, state: { ...made.state, json: desk.takeAlong(made.state.json as DcpChange) } };
}

function roomFor(
  desk: DcpDesk,
  { view, request }: { view: TranscriptView; request: CompressRequest },
  help: RoomHelp,
): Promise<CompactionPlan | NoPlan> | NoPlan {
  if (request.layer === 'overflow') desk.takeBack(view);
  const ground: RoomGround = { view, request, ...desk.withRefs(view), config: desk.config };
  switch (request.layer) {
    case 'manual':
      return askModel(desk, request);
    case 'hygiene':
      return isOver(request) ? makeRoom(ground, 'emergency', help) : hygiene(desk, ground, help);
    case 'overflow':
      return makeRoom(ground, 'emergency', help);
    case 'agent':
      return isOver(request)
        ? makeRoom(ground, 'emergency', help)
        : noRoom('noop', 'below_threshold', 'the model decides when to compress');
    case 'background':
    case 'model_tool':
      return noRoom('noop', 'below_threshold', 'the model decides when to compress');
    default:
      return never(request.layer);
  }
}

function isOver({ promptTokens, budget }: CompressRequest): boolean {
  return promptTokens >= budget.windowTokens - budget.outputReserveTokens;
}

async function hygiene(desk: DcpDesk, ground: RoomGround, help: RoomHelp): Promise<CompactionPlan | NoPlan> {
  const { promptTokens, budget } = ground.request;
  // The number of rows is no reason here: what blocks hide costs nothing.
  if (promptTokens < Math.floor(budget.windowTokens * hygieneShare))
    return noRoom('noop', 'below_threshold', 'the prompt is well below its window');
  if (desk.measure(ground.view).rows < leastRows)
    return noRoom('noop', 'too_few_messages', 'there are too few messages to summarise');
  if (ground.state.hygiene.triedVersion === ground.state.version && !ground.request.force)
    return noRoom('skipped', 'cooldown', 'nothing changed since the last attempt did not help');
  return ground.config.hygiene === 'rewrite' ? rewrite(ground, help) : makeRoom(ground, 'hygiene', help);
}

/** A person asked: the next request says so once, and one call is allowed even in manual mode. */
function askModel(desk: DcpDesk, { focus }: CompressRequest): NoPlan {
  if (desk.config.compress.permission === 'deny')
    return noRoom(
      'noop',
      'switched_off',
      'the model has no compress tool here (context.dcp.compress.permission or a rule of tools.rules: deny)',
    );
  const json: DcpChange = {
    baseVersion: desk.state.version,
    grant: { focus: focus ?? null, isShown: false },
  };
  const asked = noRoom('noop', 'model_asked', 'the model is asked to compress with its next step');
  return { ...asked, stateChange: { engine: 'dcp', json } };
}
