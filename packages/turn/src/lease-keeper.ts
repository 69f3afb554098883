import { LeaseLost, type Lease, type Logger, type TurnStore } from '@palimpsest/core';

/**
 * Renews the lease on a timer while a claim lasts. Its signal fires with LeaseLost as soon as a renewal finds that
 * another worker took over, so that the model call ends; every write checks the epoch again by itself.
 */
export function keepLease(input: {
  turns: Pick<TurnStore, 'renew'>;
  /** Asked at every renewal: a rotation puts another lease in the place of the first. */
  lease(): Lease;
  leaseMs: number;
  logger: Logger;
}): { signal: AbortSignal; stop(): void } {
  const lost = new AbortController();
  // A third of the lease: two renewals may fail before it ends.
  const timer = setInterval(() => void renew(), Math.max(50, input.leaseMs / 3));
  async function renew(): Promise<void> {
    const lease = input.lease();
    try {
      const ours = await input.turns.renew(lease, input.leaseMs);
      if (!ours && lease === input.lease()) lost.abort(new LeaseLost(lease.sessionId, lease.epoch));
    } catch (thrown) {
      const code = thrown instanceof Error ? thrown.message : String(thrown);
      input.logger.warn({ sessionId: lease.sessionId, problem: code }, 'lease not renewed; trying again');
    }
  }
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}
