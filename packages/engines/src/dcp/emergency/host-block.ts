import type { DcpAuthor, DcpBlock, DcpState } from '@palimpsest/core';
import { formatBlockRef, formatUnitRef } from '../refs/format-ref.ts';
import type { DcpUnit } from '../refs/group-units.ts';
import type { ShownItem } from '../transform/lay-out.ts';
import { framedTokens } from './write-body.ts';

/** What people and the model read above a summary that the service wrote. */
const hostTopic = 'earlier part of the conversation';

/** A block of the service over shown items; what it takes in is told anew in its own words. */
export function hostBlock(
  items: readonly ShownItem[],
  body: string,
  made: { state: DcpState; number: number; author: Exclude<DcpAuthor, 'model'> },
): DcpBlock {
  const { state, number, author } = made;
  const units = items.flatMap((item) => (item.kind === 'unit' && item.unit.isNumbered ? [item.unit] : []));
  const consumed = items.flatMap((item) => (item.kind === 'block' ? [item.block.number] : []));
  const named = items.filter((item) => item.kind === 'block' || item.unit.isNumbered);
  return {
    number,
    run: state.nextRun,
    author,
    mode: 'range',
    topic: hostTopic,
    batchTopic: null,
    body,
    refBlocks: [],
    startRef: refOf(named[0]!, state),
    endRef: refOf(named.at(-1)!, state),
    anchorUnit: anchorOf(named[0]!),
    unitIds: units.map((unit) => unit.id),
    consumed: consumed.toSorted((one, other) => one - other),
    origin: null,
    status: 'on',
    rawTokens: sumTokens(units),
    summaryTokens: framedTokens({ topic: hostTopic, number }, body),
    durationMs: 0,
  };
}

function refOf(item: ShownItem, state: DcpState): string {
  if (item.kind === 'block') return formatBlockRef(item.block.number);
  return formatUnitRef(state.refs.get(item.unit.id) ?? 0);
}

function anchorOf(item: ShownItem): number {
  return item.kind === 'block' ? item.units[0]!.id : item.unit.id;
}

function sumTokens(units: readonly DcpUnit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}
