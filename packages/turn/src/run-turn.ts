import {
  buildSystemPrompt,
  PromptImages,
  runAgent,
  systemBlocks,
  type AgentEnd,
  type AgentHooks,
} from '@palimpsest/agent';
import {
  accountKey,
  callAction,
  type ChatTarget,
  estimateParts,
  LeaseLost,
  traced,
  turnReplyKey,
  type GatewayEvent,
  type NewReply,
  type NewRow,
  type Turn,
  type TurnOutcome,
} from '@palimpsest/core';
import { largeTextTokens } from './large-text.ts';
import type { ClaimedSession } from './claimed-session.ts';
import { countModelTool } from './count-model-tool.ts';
import { engineTools, type EngineTools } from './engine-tools.ts';
import { instructionsAt } from './instructions-at.ts';
import { idleBeforeAgent } from './idle-compaction.ts';
import { hygieneBeforeAgent, roomAfterRefusal, roomForRequest, type RoomWish } from './make-room.ts';
import { priceSession } from './price-session.ts';
import { noteProviderCompaction } from './provider-compaction.ts';
import { ProgressWriter } from './progress-writer.ts';
import { steerTurn } from './steer-turn.ts';
import { tellFallback } from './tell-fallback.ts';
import { fileReplies } from './file-replies.ts';
import { replyTo } from './reply-to.ts';
import { failureText, noticeIn } from './texts.ts';
import { tracedTool } from './trace-turn.ts';
import { wordsFor } from './words/words-for.ts';

/** Long enough for a burst of messages into an outage, short enough that nobody waits for a word. */
const failureCoolDownMs = 60_000;

/** Why a turn ended early and says so; set as the reason of the abort signal. */
export type TurnEndReason = 'stop' | 'interrupt' | 'timeout';

export interface TurnWish {
  /** Aborts with a TurnEndReason or with LeaseLost. */
  signal: AbortSignal;
  /**
   * Nothing of this claim is written behind the turn's last write once this resolves, so that the lease may go back with
   * it. Left out: the lease is kept.
   */
  closing?(): Promise<void>;
}

/**
 * One run of the agent: system prompt → hygiene → requests and tool rounds → ONE transaction with the answer.
 * Any other reason of the signal, such as a shutdown, is nothing that a person asked for: the turn is put back and its next
 * attempt goes on.
 */
export async function runTurn(claimed: ClaimedSession, turn: Turn, wish: TurnWish): Promise<void> {
  const { deps } = claimed;
  const startedAt = deps.clock.now().getTime();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort('timeout'), deps.config.agent.turn_timeout_seconds * 1000);
  const ending = AbortSignal.any([wish.signal, timeout.signal]);
  const written = { turn, sessionId: () => claimed.session.id };
  const progress = new ProgressWriter(deps.store.turns, written, deps.clock);
  try {
    await ensureSystemPrompt(claimed, turn.chat);
    await idleBeforeAgent(claimed, { turn, signal: ending });
    await traced(deps, 'hygiene', { work: () => hygieneBeforeAgent(claimed, { turn, signal: ending }) });
    const end = await runAgent(agentRun(claimed, turn, { signal: ending, progress }));
    if (ending.reason instanceof LeaseLost) throw ending.reason;
    const reason = reasonOf(ending);
    if (end.kind === 'stopped' && ending.aborted && reason === null) {
      await deps.store.turns.suspendTurn(claimed.lease, turn.id);
      return;
    }
    await traced(deps, 'turn.finish', {
      attributes: { 'gateway.turn.outcome': end.kind, 'gateway.turn.steps': end.step },
      work: () => finish(claimed, turn, { end, reason, closing: wish.closing }),
    });
    const seconds = (deps.clock.now().getTime() - startedAt) / 1000;
    deps.meter.count('gateway_turns_total', { platform: claimed.session.platform, outcome: end.kind });
    deps.meter.observe('gateway_turn_duration_seconds', seconds, {
      platform: claimed.session.platform,
      outcome: end.kind,
    });
  } finally {
    progress.stop();
    clearTimeout(timer);
  }
}

function reasonOf({ reason }: AbortSignal): TurnEndReason | null {
  return reason === 'stop' || reason === 'interrupt' || reason === 'timeout' ? reason : null;
}

async function ensureSystemPrompt(claimed: ClaimedSession, chat: ChatTarget): Promise<void> {
  if (claimed.session.systemPrompt !== null) return;
  // Tools stand before the system prompt in what a provider caches, so both change at the same time or not at all.
  claimed.tools = (await claimed.deps.fixTools?.(claimed.session)) ?? claimed.tools;
  const instructions = instructionsAt(claimed.deps.config, chat);
  const systemPrompt = buildSystemPrompt({ instructions, engineText: claimed.engine.systemText });
  const model = claimed.deps.model.info.label;
  const isFirst = claimed.session.model === undefined;
  claimed.change({ systemPrompt, model });
  // The first one is written with the first answer. After that counts change with it, and a compaction that comes before the
  // answer changes them too.
  if (isFirst) return;
  await claimed.deps.store.turns.patchSession(claimed.lease, claimed.takePatch());
}

function agentRun(
  claimed: ClaimedSession,
  turn: Turn,
  { signal, progress }: { signal: AbortSignal; progress: ProgressWriter },
): Parameters<typeof runAgent>[0] {
  const { deps } = claimed;
  const ofEngine = engineTools(claimed, turn);
  return {
    model: deps.model,
    engine: () => claimed.engine,
    view: () => claimed.view,
    system: () => systemBlocks(claimed.session),
    ...(deps.model.info.takesImages ? { images: imagesOf(claimed) } : {}),
    ...(deps.tracer && { tracer: deps.tracer }),
    toolSchemas: claimed.toolSchemas,
    budget: () => claimed.budget(),
    box: {
      tools: new Map(
        [...claimed.tools, ...ofEngine.tools].map((tool) => [tool.schema.name, tracedTool(deps, tool)]),
      ),
      timeoutMs: deps.config.agent.tool_timeout_seconds * 1000,
      maxResultTokens: largeTextTokens(claimed),
      isForbidden: (call) => callAction(call, deps.config) === 'deny',
    },
    scope: {
      // A rotation inside the turn moves it to another session.
      get session() {
        return claimed.session;
      },
      turnId: turn.id,
      senderIds: sendersOf(turn),
      platform: turn.chat.account.platform,
      signal,
    },
    lastStep: turn.lastStep,
    openRound: turn.openRound,
    maxSteps: deps.config.agent.max_steps,
    hooks: hooksFor(claimed, { turn, signal, ofEngine, progress }),
  };
}

/** A rotation inside the turn moves it to another session, which finds what its parents kept. */
function imagesOf(claimed: ClaimedSession): PromptImages {
  return new PromptImages((ids) => claimed.deps.store.transcript.contents(claimed.session.id, ids));
}

function hooksFor(
  claimed: ClaimedSession,
  wish: RoomWish & { turn: Turn; ofEngine: EngineTools; progress: ProgressWriter },
): AgentHooks {
  const { turn, ofEngine, progress } = wish;
  const { store, queue, clock } = claimed.deps;
  return {
    async makeRoom(why) {
      if (why.kind === 'overflow') return roomAfterRefusal(claimed, wish, why.failure);
      await roomForRequest(claimed, wish);
      return true;
    },
    async storeRound(round) {
      const { engineStates, compactions } = ofEngine.takeChanges(round.rows);
      const replies = fileReplies(turn, round.rows);
      const startedAt = clock.now().getTime();
      const stored = await store.turns.storeRound({
        ...round,
        lease: claimed.lease,
        turnId: turn.id,
        engineStates: [...round.engineStates, ...engineStates],
        session: claimed.takePatch(),
        compactions,
        replies,
      });
      if (replies.length > 0) await queue.deliver(accountKey(turn.chat.account));
      if (compactions.length === 0) return claimed.view.append(stored);
      await countModelTool(claimed, compactions, startedAt);
      await claimed.refresh();
    },
    takeIn: () => steerTurn(claimed, turn),
    saveOpenRound: (round) => store.turns.saveOpenRound(claimed.lease, turn.id, round),
    progress: (text, note) => progress.put(text, note),
    promptTokens: () => claimed.state().promptTokens,
    condensed: (compaction) =>
      noteProviderCompaction(claimed, compaction, { layer: 'agent', trigger: 'threshold' }),
    fellBack: (change) => tellFallback(claimed, turn, change),
    priced: (usage) => priceSession(claimed, usage),
  };
}

interface Ending {
  end: AgentEnd;
  reason: TurnEndReason | null;
  closing: TurnWish['closing'];
}

async function finish(claimed: ClaimedSession, turn: Turn, ending: Ending): Promise<void> {
  const { deps } = claimed;
  const { end, closing } = ending;
  const outcome: TurnOutcome = end.kind;
  if (end.kind === 'failed') {
    const { kind, status, message } = end.failure;
    deps.logger.error(
      { sessionId: claimed.session.id, turnId: turn.id, kind, status, problem: message },
      'turn failed',
    );
  }
  const sessionId = claimed.session.id;
  const deferred = claimed.engine.deferred?.(claimed.state()) ?? null;
  const event: GatewayEvent = {
    type: 'agent:end',
    sessionId,
    turnId: turn.id,
    outcome,
    steps: end.step,
  };
  await closing?.();
  const { rows, released } = await deps.store.turns.finishTurn({
    lease: claimed.lease,
    turnId: turn.id,
    outcome,
    step: end.step,
    rows: finalRows(end),
    usage: end.usage,
    replies: repliesOf(ending, turn),
    events: [event],
    engineStates: [...end.engineStates, ...(deferred ? [deferred.stateChange] : [])],
    session: claimed.takePatch(),
    release: closing !== undefined,
  });
  if (closing) claimed.afterTurn = released ? 'done' : 'more';
  claimed.view.append(rows);
  if (deferred?.dueInMs === 0) await deps.queue.maintain({ kind: 'debt', sessionId, urgent: false });
}

/** What the model said stays in the transcript, also when it was stopped half-way: the person has read it. */
function finalRows(end: AgentEnd): readonly NewRow[] {
  if (end.kind === 'answered') return [end.row];
  if (end.text.trim() === '') return [];
  const parts = [{ type: 'text' as const, text: end.text }];
  return [{ role: 'assistant', kind: 'assistant', parts, tokens: estimateParts(parts) }];
}

/** A message that stopped an answer before its first word is answered together with the one before it. */
function repliesOf(ending: Ending, turn: Turn): NewReply[] {
  const { end, reason } = ending;
  if (end.kind === 'stopped' && reason === 'interrupt' && end.text.trim() === '') return [];
  // A failure that left nothing else to say is told once in a while: every turn may fail of the same cause.
  const isBareFailure = end.kind === 'failed' && end.text.trim() === '';
  return [
    {
      key: isBareFailure ? `failure-${turn.id}` : turnReplyKey(turn.id),
      chat: turn.chat,
      kind: end.kind === 'answered' ? 'final' : 'notice',
      text: replyText(ending, turn),
      replyToMessageId: replyTo(turn),
      turnId: turn.id,
      ...(isBareFailure && { onceInMs: failureCoolDownMs }),
    },
  ];
}

const endTexts = { stop: 'stopped', interrupt: 'interrupted', timeout: 'timedOut' } as const;

function replyText(ending: Ending, turn: Turn): string {
  const { end, reason } = ending;
  if (end.kind === 'answered') return end.cut ? `${end.text}\n\n… ${wordsFor(turn.chat).cut}` : end.text;
  const said = end.text.trim() === '' ? '' : `${end.text}\n\n`;
  if (end.kind === 'failed') return said + failureText(turn.chat, end.failure, turn.id);
  return said + noticeIn(turn.chat, endTexts[reason ?? 'stop']);
}

function sendersOf(turn: Turn): string[] {
  return [
    ...new Set(
      turn.mailbox.flatMap((row) => (row.content.kind === 'operator' ? [] : [row.content.message.senderId])),
    ),
  ];
}
