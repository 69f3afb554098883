import { contextReader, type ContextParts } from '@palimpsest/dashboard';
import { GatewayError, silentMeter, type LcmBreaker, type Session } from '@palimpsest/core';
import { createMainModel, createWorkerDeps, loadInstalledPlugIns, ownerName } from '../start-parts.ts';
import type { StoreAndQueue } from '../with-store.ts';

/** What decides whether a session is condensed now. */
export interface CompactionExplanation {
  session: Pick<
    Session,
    | 'id'
    | 'cooldownUntil'
    | 'cooldownReason'
    | 'failureStreak'
    | 'ineffectiveStreak'
    | 'fallbackStreak'
    | 'probeAt'
    | 'structuralUntil'
  >;
  context: ContextParts;
  /** Compactions of the last hour, and how many it may see. */
  lastHour: { applied: number; most: number };
  breakers: readonly LcmBreaker[];
}

/** Reads only; with this machine's config. throws row_missing for an unknown session */
export async function explainCompaction(
  parts: StoreAndQueue,
  sessionId: string,
): Promise<CompactionExplanation> {
  const { store, settings } = parts;
  const session = await store.turns.session(sessionId);
  const plugIns = await loadInstalledPlugIns(parts);
  const all = { ...parts, meter: silentMeter, owner: ownerName(), plugIns };
  const deps = createWorkerDeps(all, createMainModel(settings));
  const context = session && (await contextReader(deps, store).read(sessionId));
  if (!session || !context)
    throw new GatewayError('row_missing', `there is no session ${sessionId}; \`session list\` shows them.`);
  const most = settings.config.compression.max_per_hour;
  const { breakers } = context.engine === 'lcm' ? await store.lcm.load(sessionId) : { breakers: [] };
  const { id, cooldownUntil, cooldownReason, failureStreak, ineffectiveStreak } = session;
  const { fallbackStreak, probeAt, structuralUntil } = session;
  const rests = { cooldownUntil, cooldownReason, probeAt, structuralUntil };
  return {
    session: { id, failureStreak, ineffectiveStreak, fallbackStreak, ...rests },
    context,
    lastHour: { applied: await store.compactions.appliedLastHour(id, most), most },
    breakers,
  };
}

/** For a terminal: sizes against their bounds, then what holds an automatic compaction back. */
export function explanationLines({ session, context, lastHour, breakers }: CompactionExplanation): string[] {
  const { promptTokens, promptSource, windowTokens, triggerTokens, prepareTokens, hardLimitTokens } = context;
  return [
    `engine      ${context.engine}, model ${context.model}, summaries by ${context.summaryModel}`,
    `prompt      ${number(promptTokens)} tokens (${promptSource === 'api' ? 'counted by the model' : 'estimated'}) of a window of ${number(windowTokens)}`,
    `thresholds  prepared from ${number(prepareTokens)}, condensed from ${number(triggerTokens)}, never above ${number(hardLimitTokens)}`,
    `cooldown    ${restWords(session)}`,
    `streaks     ${session.failureStreak} failed, ${session.ineffectiveStreak} without gain, ${session.fallbackStreak} by the local summary${session.probeAt ? `; stopped until one try at ${session.probeAt.toISOString()}` : ''}`,
    `last hour   ${lastHour.applied} of at most ${lastHour.most}`,
    ...breakers.map(
      ({ provider, model, failures, openUntil }) =>
        `breaker     ${provider}/${model}: ${openUntil ? `not asked until ${openUntil.toISOString()}` : 'closed'}, ${failures} failures in a row`,
    ),
    `now         ${decisionWords(context)}`,
    ...earlyLines(context),
  ];
}

function restWords({
  cooldownUntil,
  cooldownReason,
  structuralUntil,
}: CompactionExplanation['session']): string {
  const rests = [
    cooldownUntil && `until ${cooldownUntil.toISOString()} (${cooldownReason ?? 'none'})`,
    structuralUntil && `nothing to take out, until ${structuralUntil.toISOString()}`,
  ].filter((one) => one !== null);
  return rests.length > 0 ? rests.join('; ') : 'none';
}

function decisionWords({ decision, promptTokens, triggerTokens }: ContextParts): string {
  if (decision.kind === 'now') return `it is condensed with the next message (${decision.reason})`;
  if (decision.kind === 'prepare') return 'a compaction is made ready in the background';
  if (promptTokens < triggerTokens)
    return `nothing: ${number(triggerTokens - promptTokens)} tokens are left until it is condensed`;
  return `nothing although it is past the threshold: ${decision.reason}`;
}

/** The next small pass of the lossless engine: how much is still missing, or why it is not done yet. */
export function earlyLines({ earlyWork }: Pick<ContextParts, 'earlyWork'>): string[] {
  if (!earlyWork) return [];
  const { messages, tokens, neededTokens, state } = earlyWork;
  const seen = `${number(tokens)} tokens in ${number(messages)} messages`;
  const words = {
    gathering: `when ${number(neededTokens - tokens)} more tokens lie outside the fresh tail; now ${seen}, of ${number(neededTokens)}`,
    held: `over ${seen}, held back while the prompt cache is warm`,
    due: `over ${seen}, due in the background`,
  };
  return [`small pass  ${words[state]}`];
}

function number(value: number): string {
  return value.toLocaleString('en');
}
