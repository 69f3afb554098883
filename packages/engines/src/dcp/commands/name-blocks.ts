import type { BlockActivity, DcpBlock } from '@palimpsest/core';
import { formatBlockRef, parseRef } from '../refs/format-ref.ts';
import type { Say } from '../../words/say.ts';

/** `3` or `b3` as a person types it; null for anything else. */
export function blockNumber(argument: string): number | null {
  const word = argument.trim();
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word);
  const ref = parseRef(word);
  return ref?.kind === 'block' ? ref.number : null;
}

/** One line a block: its name, topic and size. */
export function blockLine(block: DcpBlock, say: Say): string {
  return say('dcpLine', {
    block: formatBlockRef(block.number),
    topic: block.topic.replace(/\s+/g, ' ').trim(),
    from: block.startRef,
    to: block.endRef,
    tokens: say.number(block.rawTokens),
  });
}

const activityTexts = {
  consumed: 'dcpConsumed',
  orphaned: 'dcpOrphaned',
  user_off: 'dcpUserOff',
  tainted: 'dcpTainted',
  reset: 'dcpReset',
} as const satisfies Readonly<Record<Exclude<BlockActivity, 'active'>, string>>;

/** Why a block is not shown; `first`: what has to be done before. */
export function inactiveText(
  activity: Exclude<BlockActivity, 'active'>,
  { say, ...values }: { block: string; first: string; say: Say },
): string {
  return say(activityTexts[activity], values);
}
