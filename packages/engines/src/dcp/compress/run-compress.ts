import { createHash } from 'node:crypto';
import {
  shownTokens,
  type DcpBlock,
  type DcpChange,
  type DcpMark,
  type DcpOrigin,
  type DcpState,
  type MessageRow,
  type ToolCall,
  type ToolResult,
  type TranscriptView,
} from '@palimpsest/core';
import { computeMarks } from '../strategies/compute-marks.ts';
import { formatBlockRef } from '../refs/format-ref.ts';
import {
  compressGround,
  replacedTokens,
  type CompressGround,
  type DcpConfig,
  type GroundInput,
} from './ground.ts';
import { problem, type CompressProblem } from './problem.ts';
import { readArguments } from './read-arguments.ts';
import { doneMessage, doneResult, failedResult, groundAfter } from './result-text.ts';
import { selectEntries, type Selection } from './select-entries.ts';
import { writeBlocks, type WrittenBlocks } from './write-blocks.ts';

export interface CompressCall {
  call: ToolCall;
  turnId: string;
  /** Live rows without those of the round that the call belongs to. */
  view: Pick<TranscriptView, 'rows' | 'bodies'>;
  /** With refs for all units of the view. */
  state: DcpState;
  config: DcpConfig;
  windowTokens: number;
  /** Time the call took so far. */
  elapsedMs: () => number;
}

/**
 * `change`: what is to be stored, null for a repeat. It says nothing of nudges: whoever runs the tool adds their cadence.
 * `written`: null where no block was made; then `change` holds the failure's count and line for operators.
 */
export interface CompressEnd {
  result: ToolResult;
  change: DcpChange | null;
  written: WrittenBlocks | null;
}

/**
 * The compress tool: all entries of a call become blocks, or none does. The same call comes to the same blocks however
 * often it is made.
 *
 *   arguments → permission, manual mode → entries found, widened, compared → texts → sizes → blocks, marks → result
 */
export async function runCompress(input: CompressCall): Promise<CompressEnd> {
  const origin = originOf(input);
  const ground = compressGround(groundInput(input));
  const made = ground.state.blocks.filter((block) => isSameOrigin(block.origin, origin));
  if (made.length > 0) return repeated(made, ground);
  const read = readArguments(input.call.arguments, input.config.compress.mode);
  if (!read.ok) return failed(input, read.problems);
  const gate = refusal(input);
  if (gate) return failed(input, [gate]);
  const selected = selectEntries(ground, read.value.entries, true);
  if (!selected.ok) return failed(input, selected.problems);
  const bodies = await input.view.bodies(newRowIds(selected.value));
  const written = writeBlocks(selected.value, {
    ground,
    bodies,
    topic: read.value.topic,
    origin,
    author: 'model',
    durationMs: Math.max(0, Math.round(input.elapsedMs())),
    checksSizes: true,
  });
  if (!written.ok) return failed(input, written.problems);
  return done(input, { written: written.value, selections: selected.value });
}

function groundInput({ state, config, view, windowTokens, turnId }: CompressCall): GroundInput {
  return { state, config, view, windowTokens, runningTurnId: turnId };
}

/** The turn belongs to it and so do the arguments: call ids come again. */
export function originOf({ call, turnId }: Pick<CompressCall, 'call' | 'turnId'>): DcpOrigin {
  const argumentsHash = createHash('sha256').update(call.arguments).digest('hex').slice(0, 32);
  return { turnId, callId: call.id, argumentsHash };
}

function isSameOrigin(one: DcpOrigin | null, other: DcpOrigin): boolean {
  return (
    one?.turnId === other.turnId && one.callId === other.callId && one.argumentsHash === other.argumentsHash
  );
}

/** Manual mode and `ask` both want a person's word for each call: /dcp compress. */
function refusal({ config, state }: CompressCall): CompressProblem | null {
  const { permission } = config.compress;
  if (permission === 'deny')
    return problem('E_DENIED', '', 'compress is switched off here; go on without it');
  if (state.grant !== null || (permission === 'allow' && !state.manualMode)) return null;
  return problem(
    'E_MANUAL',
    '',
    'the person decides when to compress and has not asked for it; go on without it (they ask with /dcp compress)',
  );
}

async function done(
  input: CompressCall,
  { written, selections }: { written: WrittenBlocks; selections: readonly Selection[] },
): Promise<CompressEnd> {
  const { blocks } = written;
  const basis: DcpChange = {
    baseVersion: input.state.version,
    blocks,
    counts: { compressCalls: 1 },
    // The word of the person was for one call.
    ...(input.state.grant === null ? {} : { grant: null }),
    events: [
      {
        kind: 'compress',
        detail: {
          blocks: blocks.map((block) => formatBlockRef(block.number)),
          removedTokens: written.removedTokens,
          summaryTokens: written.summaryTokens,
        },
      },
    ],
  };
  const after = groundAfter(groundInput(input), basis);
  const marks = await marksAfter(input, after);
  const change = marks.length === 0 ? basis : { ...basis, marks };
  const result = doneResult({ written, message: doneMessage(blocks, selections) }, after);
  return { result, change, written };
}

/** Old content changes with the blocks anyway, so this is when the strategies may mark calls. */
async function marksAfter(input: CompressCall, after: CompressGround): Promise<readonly DcpMark[]> {
  const visible = after.units.filter((unit) => !after.cover.has(unit.id));
  const bodies = await input.view.bodies(visible.flatMap((unit) => unit.rows.map((row) => row.id)));
  const texts = visible.map((unit) => ({
    id: unit.id,
    rows: unit.rows.flatMap((row): MessageRow[] => {
      const body = bodies.get(row.id);
      return body ? [body] : [];
    }),
  }));
  const run = input.state.nextRun;
  return computeMarks(after.state, texts, input.config).map((mark) => ({ ...mark, run }));
}

function newRowIds(selections: readonly Selection[]): readonly number[] {
  return selections.flatMap(({ units }) => units.flatMap((unit) => unit.rows.map((row) => row.id)));
}

function failed({ state }: CompressCall, problems: readonly CompressProblem[]): CompressEnd {
  const codes = [...new Set(problems.map(({ code }) => code))];
  const change: DcpChange = {
    baseVersion: state.version,
    counts: { compressCalls: 1, compressFailures: 1 },
    events: [{ kind: 'compress_failed', detail: { codes } }],
  };
  return { result: failedResult(problems), change, written: null };
}

/** The answer of the first time, as far as it can be told from the blocks. */
function repeated(blocks: readonly DcpBlock[], ground: CompressGround): CompressEnd {
  const removedTokens = blocks.reduce((sum, block) => sum + replacedTokens(block, ground.blocks), 0);
  const summaryTokens = blocks.reduce((sum, block) => sum + shownTokens(block, ground.blocks), 0);
  const written = { blocks, removedTokens, summaryTokens };
  return {
    result: doneResult({ written, message: `${doneMessage(blocks, [])} (already done)` }, ground),
    change: null,
    written: null,
  };
}
