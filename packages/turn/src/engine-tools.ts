import type {
  CompactionPlan,
  MessageRow,
  NewReply,
  NewRow,
  RoundCompaction,
  Tool,
  Turn,
} from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { ledgerHead } from './ledger-head.ts';
import { notice } from './texts.ts';

/** The engine's tools as the agent runs them, and the plans their calls came to, which wait for their round. */
export interface EngineTools {
  tools: readonly Tool[];
  /** Plans of the calls that these rows answer, in call order; each is given once. */
  takePlans(rows: readonly NewRow[] | readonly MessageRow[]): readonly RoundCompaction[];
}

/** Repeatable: an engine knows a call it has served by its id. */
export function engineTools(claimed: ClaimedSession, turn: Turn): EngineTools {
  const plans = new Map<string, CompactionPlan>();
  const tools = claimed.engine.getToolSchemas().map((schema): Tool => ({
    schema,
    repeatable: true,
    isStoredWithRound: true,
    async run(input, { callId, ...scope }) {
      const call = { id: callId, name: schema.name, arguments: JSON.stringify(input) };
      const { result, plan } = await claimed.engine.handleToolCall(call, scope, claimed.view);
      if (plan) plans.set(callId, plan);
      return result;
    },
  }));
  return {
    tools,
    takePlans: (rows) =>
      rows
        .flatMap(({ parts }) => parts)
        .flatMap((part) => {
          const plan = part.type === 'tool_result' ? plans.get(part.callId) : undefined;
          if (!plan || part.type !== 'tool_result') return [];
          plans.delete(part.callId);
          const opened = ledgerHead(claimed, { layer: 'model_tool', trigger: 'model_tool' });
          return [{ plan, opened, replies: noticeOf(plan, turn, part.callId) }];
        }),
  };
}

/** Keyed by the call: a round that is stored again tells it once. */
function noticeOf(plan: CompactionPlan, turn: Turn, callId: string): readonly NewReply[] {
  if (plan.notice === undefined) return [];
  const key = `compress-${turn.id}-${callId}`;
  return [{ key, chat: turn.chat, kind: 'notice', text: notice(plan.notice), turnId: turn.id }];
}
