import { estimateTokens, type DcpUnitId, type MessageRow, type Part } from '@palimpsest/core';

/** A unit with the texts of its rows, in seq order. */
export interface UnitTexts {
  id: DcpUnitId;
  rows: readonly MessageRow[];
}

type CallPart = Extract<Part, { type: 'tool_call' }>;
type ResultPart = Extract<Part, { type: 'tool_result' }>;

/** A tool call as the strategies see it. */
export interface SeenCall {
  unitId: DcpUnitId;
  call: CallPart;
  /** null: not answered yet. */
  result: ResultPart | null;
  outputTokens: number;
  /** Turns of the person that began after it; messages in a row are one turn. */
  turnsSince: number;
  /** Answers of the model that came after it. */
  stepsSince: number;
}

/** Every tool call of the units, oldest first. */
export function listCalls(units: readonly UnitTexts[]): readonly SeenCall[] {
  const found: SeenCall[][] = [];
  let turnsSince = 0;
  let stepsSince = 0;
  let personBehind = false;
  for (const unit of units.toReversed()) {
    const [first] = unit.rows;
    if (!first) continue;
    const isPerson = first.kind === 'person';
    if (isPerson && !personBehind) turnsSince += 1;
    personBehind = isPerson;
    if (first.role !== 'assistant') continue;
    found.push(callsOf(unit, { turnsSince, stepsSince }));
    stepsSince += 1;
  }
  return found.toReversed().flat();
}

function callsOf(unit: UnitTexts, age: Pick<SeenCall, 'turnsSince' | 'stepsSince'>): SeenCall[] {
  const results = new Map<string, ResultPart>();
  for (const row of unit.rows)
    for (const part of row.parts) if (part.type === 'tool_result') results.set(part.callId, part);
  const calls = (unit.rows[0]?.parts ?? []).filter((part) => part.type === 'tool_call');
  return calls.map((call) => {
    const result = results.get(call.id) ?? null;
    return { unitId: unit.id, call, result, outputTokens: estimateTokens(result?.text ?? ''), ...age };
  });
}
