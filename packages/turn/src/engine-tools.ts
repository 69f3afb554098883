import {
  notice,
  type CompactionPlan,
  type EngineCallEnd,
  type EngineStateChange,
  type MessageRow,
  type NewReply,
  type NewRow,
  type RoundCompaction,
  type Tool,
  type Turn,
} from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { ledgerHead } from './ledger-head.ts';

/** What calls of a round came to beside their results, in call order. */
interface RoundChanges {
  engineStates: readonly EngineStateChange[];
  compactions: readonly RoundCompaction[];
}

/** The engine's tools as the agent runs them, and what their calls came to, which waits for their round. */
export interface EngineTools {
  tools: readonly Tool[];
  /** Of the calls that these rows answer; each is given once. */
  takeChanges(rows: readonly NewRow[] | readonly MessageRow[]): RoundChanges;
}

/** Repeatable: an engine knows a call it has served by its id. */
export function engineTools(claimed: ClaimedSession, turn: Turn): EngineTools {
  const ends = new Map<string, EngineCallEnd>();
  const tools = claimed.engine.getToolSchemas().map((schema): Tool => ({
    schema,
    repeatable: true,
    isStoredWithRound: true,
    async run(input, { callId, ...scope }) {
      const call = { id: callId, name: schema.name, arguments: JSON.stringify(input) };
      const end = await claimed.engine.handleToolCall(call, scope, claimed.view);
      ends.set(callId, end);
      return end.result;
    },
  }));
  return {
    tools,
    takeChanges(rows) {
      const engineStates: EngineStateChange[] = [];
      const compactions: RoundCompaction[] = [];
      for (const part of rows.flatMap(({ parts }) => parts)) {
        if (part.type !== 'tool_result') continue;
        const end = ends.get(part.callId);
        ends.delete(part.callId);
        if (end?.stateChange) engineStates.push(end.stateChange);
        if (end?.plan) compactions.push(compactionOf(claimed, { turn, callId: part.callId, plan: end.plan }));
      }
      return { engineStates, compactions };
    },
  };
}

function compactionOf(
  claimed: ClaimedSession,
  { turn, callId, plan }: { turn: Turn; callId: string; plan: CompactionPlan },
): RoundCompaction {
  const opened = ledgerHead(claimed, { layer: 'model_tool', trigger: 'model_tool' });
  return { plan, opened, replies: noticeOf(plan, turn, callId) };
}

/** Keyed by the call: a round that is stored again tells it once. */
function noticeOf(plan: CompactionPlan, turn: Turn, callId: string): readonly NewReply[] {
  if (plan.notice === undefined) return [];
  const key = `compress-${turn.id}-${callId}`;
  return [{ key, chat: turn.chat, kind: 'notice', text: notice(plan.notice), turnId: turn.id }];
}
