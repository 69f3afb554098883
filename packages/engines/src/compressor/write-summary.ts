import {
  estimateTokens,
  type Reason,
  type Summariser,
  type SummaryAnswer,
  type SummaryRequest,
} from '@palimpsest/core';
import { cutToTokens } from './deterministic-summary.ts';
import { redact } from './redact.ts';
import { stripThinking } from './render-rows.ts';
import { splitForSummariser, summariserInputTokens } from './split-for-summariser.ts';
import { digestRequest, shortenRequest, summaryRequest, type SummaryPromptInput } from './summary-prompt.ts';
import { unwrapSummary } from './summary-text.ts';

export interface SummaryWish {
  /** One text a row, redacted, in order. */
  blocks: readonly string[];
  /** Redacted. */
  previous: string;
  /** Redacted. */
  focus: string;
  /** Redacted; '' where no turn was cut in the middle. */
  openRequest: string;
  /** Redacted; what the person spoke of last, '' in legacy mode. */
  recent: string;
  hasLog: boolean;
  targetTokens: number;
  /** A longer answer is shortened. */
  capTokens: number;
  today: Date;
  /** Real tokens of one estimated token, >= 1: requests are sized by it. */
  caution: number;
}

/** What the calls to the summariser cost. */
export interface SummaryCost {
  calls: number;
  inputTokens: number;
  outputTokens: number;
}

export type WrittenSummary = { cost: SummaryCost } & (
  | { kind: 'text'; body: string; escalation: 'normal' | 'aggressive' | 'capped' }
  | { kind: 'failed'; reason: Reason; policy: 'abort' | 'local'; cooldownMs: number; message: string }
);

type Failure = Extract<SummaryAnswer, { kind: 'failed' }>;

/** Digests at once; more would only queue at the provider. */
const concurrency = 3;
/** Rest after an answer with nothing in it. */
const emptyCooldownMs = 30_000;
const leastDigestTokens = 120;
/** An earlier summary over this share of a request is digested like the turns. */
const previousShare = 0.45;
const deepestDigest = 4;

/**
 * Phase 3: let the summariser write. One call when everything fits its window; else parts are digested side by side and
 * merged in order by one last call. A failure is a value; nothing is retried here, that is the summariser's business,
 * but a window that turned out smaller than stated is tried again with half of the size.
 */
export async function writeSummary(
  wish: SummaryWish,
  summariser: Summariser,
  signal: AbortSignal,
): Promise<WrittenSummary> {
  const cost: SummaryCost = { calls: 0, inputTokens: 0, outputTokens: 0 };
  const desk = new Desk(summariser, signal, cost);
  const inputTokens = Math.floor(summariserInputTokens(summariser.windowTokens) / wish.caution);
  let answer = await condense(wish, desk, inputTokens);
  if (answer.kind === 'failed' && answer.reason === 'summary_context_too_small') {
    answer = await condense(wish, desk, Math.floor(inputTokens / 2));
  }
  if (answer.kind === 'failed') return { ...answer, cost };
  return { ...(await fitToCap(answer.body, wish, { desk, inputTokens })), cost };
}

type Condensed = { kind: 'text'; body: string } | Failure;

async function condense(wish: SummaryWish, desk: Desk, inputTokens: number): Promise<Condensed> {
  const bare = summaryRequest({ ...promptInput(wish, ''), previous: 'x' });
  const room = Math.max(leastDigestTokens * 2, inputTokens - estimateTokens(bare.system + bare.prompt));
  const fits = estimateTokens(wish.previous) <= room * previousShare;
  let texts =
    fits || wish.previous === '' ? wish.blocks : [`[earlier summary] ${wish.previous}`, ...wish.blocks];
  const previous = fits ? wish.previous : '';
  const turnsRoom = room - estimateTokens(previous);
  for (let depth = 0; depth < deepestDigest; depth++) {
    const chunks = splitForSummariser(texts, turnsRoom);
    if (chunks.length <= 1)
      return desk.ask(summaryRequest({ ...promptInput(wish, chunks[0] ?? ''), previous }));
    const digests = await digestAll(chunks, wish, { desk, roomTokens: turnsRoom });
    if (!Array.isArray(digests)) return digests;
    texts = digests.map((digest, index) => `[part ${index + 1} of ${chunks.length}] ${digest}`);
  }
  return tooSmall(desk.summariser);
}

/** Digest chunks side by side, in order; the first failure stops the rest. */
async function digestAll(
  chunks: readonly string[],
  wish: SummaryWish,
  { desk, roomTokens }: { desk: Desk; roomTokens: number },
): Promise<string[] | Failure> {
  const share = Math.floor((roomTokens * 0.85) / chunks.length);
  const targetTokens = Math.max(leastDigestTokens, Math.min(share, Math.floor(roomTokens * 0.25)));
  const digests: string[] = [];
  let failure: Failure | null = null;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < chunks.length && !failure) {
      const index = next++;
      const input = {
        ...promptInput(wish, chunks[index]!),
        targetTokens,
        part: index + 1,
        parts: chunks.length,
      };
      const answer = await desk.ask(digestRequest(input));
      if (answer.kind === 'failed') failure ??= answer;
      else digests[index] = answer.body;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, chunks.length) }, work));
  return failure ?? digests;
}

/** A summary over its cap is written again shorter, once; what is still over is cut at the end of a line. */
async function fitToCap(
  body: string,
  wish: SummaryWish,
  { desk, inputTokens }: { desk: Desk; inputTokens: number },
): Promise<{ kind: 'text'; body: string; escalation: 'normal' | 'aggressive' | 'capped' }> {
  if (estimateTokens(body) <= wish.capTokens) return { kind: 'text', body, escalation: 'normal' };
  const sent = cutToTokens(body, Math.floor(inputTokens * 0.7));
  const shorter = await desk.ask(
    shortenRequest({ body: sent, targetTokens: wish.targetTokens, focus: wish.focus }),
  );
  const best =
    shorter.kind === 'text' && estimateTokens(shorter.body) < estimateTokens(body) ? shorter.body : body;
  if (estimateTokens(best) <= wish.capTokens) return { kind: 'text', body: best, escalation: 'aggressive' };
  return { kind: 'text', body: cutToTokens(best, wish.capTokens), escalation: 'capped' };
}

function promptInput(wish: SummaryWish, turns: string): SummaryPromptInput {
  const { focus, openRequest, recent, hasLog, targetTokens, today } = wish;
  return { turns, previous: '', focus, openRequest, recent, hasLog, targetTokens, today };
}

/** Asks and keeps the bill. */
class Desk {
  readonly summariser: Summariser;
  readonly signal: AbortSignal;
  readonly cost: SummaryCost;

  constructor(summariser: Summariser, signal: AbortSignal, cost: SummaryCost) {
    this.summariser = summariser;
    this.signal = signal;
    this.cost = cost;
  }

  async ask(request: SummaryRequest): Promise<Condensed> {
    this.cost.calls += 1;
    const answer = await this.summariser.summarise(request, this.signal);
    if (answer.kind === 'failed') return answer;
    this.cost.inputTokens +=
      answer.usage?.promptTokens ?? estimateTokens(request.system) + estimateTokens(request.prompt);
    this.cost.outputTokens += answer.usage?.outputTokens ?? estimateTokens(answer.text);
    const body = cleanAnswer(answer.text);
    return body === '' || isRefusal(body) ? emptyAnswer(this.summariser) : { kind: 'text', body };
  }
}

/** Only the summary itself: no reasoning, no code fence around it, no handoff texts that the model copied, no secrets. */
function cleanAnswer(text: string): string {
  const bare = stripThinking(text).trim();
  const fenced = /^```[a-z]*\n([\s\S]*)\n```$/.exec(bare)?.[1] ?? bare;
  return redact(unwrapSummary(fenced));
}

/** Prose that declines, without any heading, is no summary. */
function isRefusal(body: string): boolean {
  if (body.includes('#') || body.length > 600) return false;
  return /^(?:i['’]m sorry|sorry|i (?:can(?:no|['’])t|am unable|won['’]t)|as an ai\b)/i.test(body);
}

function emptyAnswer(summariser: Summariser): Failure {
  const message = `the summary model ${summariser.model} answered without a summary; the history stays as it is`;
  return { kind: 'failed', reason: 'summary_empty', policy: 'abort', cooldownMs: emptyCooldownMs, message };
}

function tooSmall(summariser: Summariser): Failure {
  const message = `the window of the summary model ${summariser.model} (${summariser.windowTokens} tokens) is too small for this history; name a larger one in auxiliary.compression.model`;
  return {
    kind: 'failed',
    reason: 'summary_context_too_small',
    policy: 'local',
    cooldownMs: 60_000,
    message,
  };
}
