import { PRIMING_TOKENS } from './count-tokens.ts';
import { composeAnswer } from './compose-answer.ts';
import type { AnswerTerms } from './compose-answer.ts';
import type { BodyView, Refusal, Sizes } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import type { Json } from './json.ts';
import type { CachePlan } from './prompt-cache.ts';
import type { PromptBlock } from './prompt-chain.ts';
import { beginsStream, playFault } from './play-fault.ts';
import type { ScriptAnswer, ScriptFault, ScriptReply } from './script.ts';
import { nowMs } from './server-state.ts';
import type { ServerState } from './server-state.ts';
import { writeAnswer, writeRefusal } from './write-answer.ts';

/** A request that passed every rule, on its way to the script. */
interface Accepted {
  readonly exchange: Exchange;
  readonly account: string;
  readonly body: Json;
  readonly view: BodyView;
  readonly sizes: Sizes;
  readonly plan: CachePlan;
}

/**
 * rules → prompt size → window → cache look-up → script → (fault | answer)
 * The cache entries become readable when the first byte goes out, as with the real service.
 */
export async function serveCompletion(
  state: ServerState,
  exchange: Exchange,
  asked: { body: Json; account: string },
): Promise<void> {
  const { dialect } = state;
  const { body, account } = asked;
  const wrong = dialect.refuseBody(body, { purpose: 'complete', headers: exchange.entry.headers, account });
  if (wrong !== undefined) return writeRefusal(exchange, state, wrong);
  if (dialect.stalls?.(body)) {
    exchange.open(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    return exchange.untilGone();
  }
  const view = dialect.view(body);
  const { models } = state.options;
  if (models !== undefined && !models.includes(view.model)) {
    return writeRefusal(exchange, state, dialect.unknownModel(view.model));
  }
  const startMs = nowMs(state);
  const blocks = dialect.promptBlocks(body, account);
  const sizes = sizesOf(state, blocks, view);
  exchange.entry.promptTokens = sizes.promptTokens;
  state.largestPromptTokens = Math.max(state.largestPromptTokens, sizes.promptTokens);
  const tooLong = windowRefusal(state, sizes);
  if (tooLong !== undefined) return writeRefusal(exchange, state, tooLong);
  const minimumTokens = dialect.cacheMinimum(view.model);
  const plan = dialect.cache.plan({ blocks, totalTokens: sizes.promptTokens, minimumTokens, startMs });
  await answerByScript(state, { exchange, account, body, view, sizes, plan });
}

/** Tokens of a prompt, the answer's opening included. */
export function promptTokensOf(blocks: readonly PromptBlock[]): number {
  return (blocks.at(-1)?.tokens ?? 0) + PRIMING_TOKENS;
}

function sizesOf(state: ServerState, blocks: readonly PromptBlock[], view: BodyView): Sizes {
  return {
    promptTokens: promptTokensOf(blocks),
    wantedTokens: view.maxTokens ?? 0,
    window: state.options.window,
  };
}

function windowRefusal(state: ServerState, sizes: Sizes): Refusal | undefined {
  if (sizes.promptTokens > sizes.window) return state.dialect.overflow(sizes);
  const fits = sizes.promptTokens + sizes.wantedTokens <= sizes.window;
  return fits || state.options.overfullOutput === 'stop' ? undefined : state.dialect.outputOverflow(sizes);
}

async function answerByScript(state: ServerState, accepted: Accepted): Promise<void> {
  const { exchange } = accepted;
  const answer = await askScript(state, accepted);
  await exchange.pause(answer.delayMs ?? 0);
  if (exchange.signal.aborted) return;
  if ('fault' in answer && answer.fault !== 'empty') return breakDown(state, accepted, answer);
  await reply(state, accepted, 'fault' in answer ? {} : answer);
}

async function askScript(
  state: ServerState,
  { exchange, body, view, sizes }: Accepted,
): Promise<ScriptAnswer> {
  const index = state.scriptCalls;
  state.scriptCalls += 1;
  try {
    return await state.script({
      ...view,
      promptTokens: sizes.promptTokens,
      raw: body,
      headers: exchange.entry.headers,
      index,
    });
  } catch (error) {
    // Listed with the violations, or a test's broken script would look like a provider's bad day.
    state.violations.push(`the script threw: ${String(error)}`);
    return { fault: 'server_error' };
  }
}

async function breakDown(state: ServerState, accepted: Accepted, fault: ScriptFault): Promise<void> {
  const { exchange, body, view, sizes, plan } = accepted;
  const partial = composeAnswer(state, { text: fault.text ?? 'partial answer' }, termsOf(state, accepted));
  if (view.streams && beginsStream(fault.fault)) state.dialect.cache.commit(plan);
  await playFault(state, fault, { exchange, body, streams: view.streams, sizes, partial });
}

async function reply(state: ServerState, accepted: Accepted, scripted: ScriptReply): Promise<void> {
  const { exchange, body, view, sizes, plan } = accepted;
  const answer = composeAnswer(state, scripted, termsOf(state, accepted));
  state.dialect.cache.commit(plan);
  // Noted before the bytes go out: a client that has read the last one may look at once.
  state.usage.push({
    model: view.model,
    promptTokens: sizes.promptTokens,
    ...plan.figures,
    outputTokens: answer.outputTokens,
  });
  await writeAnswer(exchange, state.dialect, { answer, body, streams: view.streams, reply: scripted });
}

function termsOf(state: ServerState, { account, view, sizes, plan }: Accepted): AnswerTerms {
  const left = sizes.window - sizes.promptTokens;
  const asked = view.maxTokens ?? state.maxOutput;
  return {
    model: view.model,
    account,
    promptTokens: sizes.promptTokens,
    figures: plan.figures,
    roomTokens: Math.min(asked, left),
    cutFinish: left < asked ? 'window' : 'max_tokens',
  };
}
