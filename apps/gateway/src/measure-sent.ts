import type { Clock, OutboxPart, OutboxReply, Platform, PlatformSender, SendResult } from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';

interface Sending {
  deps: GatewayDeps;
  sender: PlatformSender;
  reply: OutboxReply;
}

/** How long the person waited for the first part of an answer, and that its form was refused. */
export function measureSent(
  delivery: Sending,
  part: OutboxPart,
  { remark }: Extract<SendResult, { kind: 'sent' }>,
): void {
  if (remark !== undefined) countFallback(delivery, 'refused');
  // Where a preview showed it first, the part is an edit and does not come through here.
  const { deps, reply, sender } = delivery;
  if (part.index === 0 && reply.kind === 'final')
    observeFirstVisible(deps, { askedAt: reply.askedAt, platform: sender.account.platform });
}

/** The person sees the beginning of the answer, be it a preview. */
export function observeFirstVisible(
  { clock, meter }: GatewayDeps,
  { askedAt, platform }: { askedAt: Date | undefined; platform: Platform },
): void {
  if (askedAt === undefined) return;
  meter.observe('gateway_time_to_first_visible_seconds', secondsSince(askedAt, clock), { platform });
}

/** The whole answer is out. */
export function measureWhole({ deps, reply, sender }: Sending): void {
  if (reply.kind !== 'final' || reply.file || reply.askedAt === undefined) return;
  const { platform } = sender.account;
  const seconds = secondsSince(reply.askedAt, deps.clock);
  deps.meter.observe('gateway_time_to_final_reply_seconds', seconds, { platform });
}

/** The answer went out, but not in the form it was written in. */
export function countFallback({ deps, sender }: Sending, reason: 'refused' | 'file_refused'): void {
  deps.meter.count('gateway_format_fallbacks_total', { platform: sender.account.platform, reason });
}

function secondsSince(time: Date, clock: Clock): number {
  return Math.max(0, (clock.now().getTime() - time.getTime()) / 1000);
}
