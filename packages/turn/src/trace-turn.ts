import { createHash } from 'node:crypto';
import { traced, type MailboxRow, type Tool, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import type { TurnDeps } from './deps.ts';

/*
 * inbound.store ─┬─ queue.wait       from the commit of the message to the claim that it woke
 *                ├─ session.claim    lease, session, the person's rows
 *                └─ turn ─┬─ hygiene ─ compaction
 *                         ├─ compaction, context.assemble, llm.request, tool.*, as often as there are steps
 *                         ├─ turn.finish
 *                         └─ delivery.part    by the gateway, one a part, by the traceparent in the turn's row
 */

/** Sessions are told apart in traces, and not named. */
export function hashedId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 16);
}

/** What lay before the turn, told afterwards: it is known only now whose tree it belongs to. */
export function traceClaim({ tracer, clock }: TurnDeps, turn: Turn, claimedFrom: Date): void {
  const [first] = turn.mailbox;
  if (!tracer || first?.traceparent === undefined) return;
  const parent = first.traceparent;
  if (turn.attempt === 1) {
    const startedAt = first.acceptedAt;
    // Two clocks: the database's and ours.
    const until = new Date(Math.max(startedAt.getTime(), claimedFrom.getTime()));
    tracer.start('queue.wait', { parent, startedAt }).end(until);
  }
  tracer
    .start('session.claim', { parent, startedAt: claimedFrom, attributes: turnAttributes(turn) })
    .end(clock.now());
}

export function traceTurn(claimed: ClaimedSession, turn: Turn, work: () => Promise<void>): Promise<void> {
  const parent = turn.mailbox.find((row) => row.traceparent !== undefined)?.traceparent;
  const attributes = { ...turnAttributes(turn), 'gateway.engine': claimed.engine.name };
  return traced(claimed.deps, 'turn', {
    parent,
    attributes,
    async work({ traceparent }) {
      if (traceparent !== null)
        await claimed.deps.store.turns.keepTrace(claimed.lease, { id: turn.id, traceparent });
      await work();
    },
  });
}

function turnAttributes(turn: Turn) {
  return {
    'gateway.platform': turn.chat.account.platform,
    'gateway.session': hashedId(turn.sessionId),
    'gateway.turn_id': turn.id,
    'gateway.attempt': turn.attempt,
    'gateway.messages': turn.mailbox.length,
  };
}

/** What was asked for is not said: it may be anything that somebody typed. */
export function traceCommand(
  { deps, session }: ClaimedSession,
  row: MailboxRow,
  work: () => Promise<void>,
): Promise<void> {
  const attributes = { 'gateway.platform': session.platform, 'gateway.session': hashedId(session.id) };
  return traced(deps, 'command', { parent: row.traceparent, attributes, work });
}

export function tracedTool(deps: TurnDeps, tool: Tool): Tool {
  if (!deps.tracer) return tool;
  const { name } = tool.schema;
  return {
    ...tool,
    run: (input, scope) =>
      traced(deps, `tool.${name}`, {
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name },
        async work(span) {
          const result = await tool.run(input, scope);
          if (result.isError) span.fail('tool_error');
          return result;
        },
      }),
  };
}
