import type { OutboxPart, OutboxReply, PlatformSender, SendResult } from '@palimpsest/core';
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
  if (part.index === 0) observeWait(delivery, 'gateway_time_to_first_visible_seconds');
}

/** The whole answer is out. */
export function measureWhole(delivery: Sending): void {
  observeWait(delivery, 'gateway_time_to_final_reply_seconds');
}

/** The answer went out, but not in the form it was written in. */
export function countFallback({ deps, sender }: Sending, reason: 'refused' | 'file_refused'): void {
  deps.meter.count('gateway_format_fallbacks_total', { platform: sender.account.platform, reason });
}

function observeWait(
  { deps, reply, sender }: Sending,
  name: 'gateway_time_to_first_visible_seconds' | 'gateway_time_to_final_reply_seconds',
): void {
  if (reply.kind !== 'final' || reply.askedAt === undefined) return;
  const seconds = Math.max(0, (deps.clock.now().getTime() - reply.askedAt.getTime()) / 1000);
  deps.meter.observe(name, seconds, { platform: sender.account.platform });
}
