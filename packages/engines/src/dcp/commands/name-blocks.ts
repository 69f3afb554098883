import type { BlockActivity, DcpBlock } from '@palimpsest/core';
import { formatBlockRef, parseRef } from '../refs/format-ref.ts';
import { inWords } from './change-end.ts';

/** `3` or `b3` as a person types it; null for anything else. */
export function blockNumber(argument: string): number | null {
  const word = argument.trim();
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word);
  const ref = parseRef(word);
  return ref?.kind === 'block' ? ref.number : null;
}

/** One line a block: its name, topic and size. */
export function blockLine(block: DcpBlock): string {
  const topic = block.topic.replace(/\s+/g, ' ').trim();
  return `${formatBlockRef(block.number)} — ${topic} (${block.startRef} to ${block.endRef}, about ${inWords(block.rawTokens)} tokens)`;
}

/** Why a block is not shown. */
export const activityTexts: Readonly<Record<Exclude<BlockActivity, 'active'>, string>> = {
  consumed: 'is part of a larger block',
  orphaned: 'no longer stands: the messages it came with were taken back',
  user_off: 'is already shown in full',
  tainted: 'was given up because a message under it was deleted or changed',
  reset: 'belongs to a conversation that was rewritten since',
};
