/** Summary models that behave in one way each. */
import type { Reason, SummaryAnswer, Summariser, SummaryRequest } from '@palimpsest/core';

type Behaviour = (
  request: SummaryRequest,
  call: number,
  signal: AbortSignal,
) => string | SummaryAnswer | Promise<string | SummaryAnswer>;

export class BehavedSummariser implements Summariser {
  readonly model: string;
  readonly windowTokens: number;
  readonly requests: SummaryRequest[] = [];
  readonly #behaviour: Behaviour;

  constructor(behaviour: Behaviour, { model = 'small-model', windowTokens = 200_000 } = {}) {
    this.#behaviour = behaviour;
    this.model = model;
    this.windowTokens = windowTokens;
  }

  async summarise(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer> {
    this.requests.push(request);
    const answer = await this.#behaviour(request, this.requests.length, signal);
    return typeof answer === 'string' ? { kind: 'text', text: answer, usage: null } : answer;
  }
}

/** What stands between the tags of a request. */
export function sourceOf({ prompt }: SummaryRequest): string {
  return /<(conversation|notes)>\n([\s\S]*)\n<\/\1>/.exec(prompt)?.[2] ?? '';
}

export function previousOf({ prompt }: SummaryRequest): string {
  return /<previous_context>\n([\s\S]*?)\n<\/previous_context>/.exec(prompt)?.[1] ?? '';
}

/** Gives the source back. */
export const echo = (): BehavedSummariser => new BehavedSummariser((request) => sourceOf(request));

/** A line with a number: smaller than any chunk. */
export const shrinking = (): BehavedSummariser =>
  new BehavedSummariser((_, call) => `Notes ${call}.\nExpand for details about: wording`);

/** More words than it was given, unless the request asks for durable facts only. */
export const growing = (): BehavedSummariser =>
  new BehavedSummariser((request) => `${sourceOf(request)} ${sourceOf(request)}`);

/** As the summariser of the providers says it. */
export const empty = (): BehavedSummariser => failing('summary_empty');

/** Never answers, and listens to no signal. */
export const silent = (): BehavedSummariser =>
  new BehavedSummariser(() => new Promise<string>(() => undefined));

export function failing(reason: Reason, policy: 'abort' | 'local' = 'abort'): BehavedSummariser {
  return new BehavedSummariser(() => ({
    kind: 'failed',
    reason,
    policy,
    cooldownMs: 60_000,
    message: `scripted ${reason}`,
  }));
}

/** Shrinks, and throws at the nth call. */
export const throwingAt = (nth: number): BehavedSummariser =>
  new BehavedSummariser((_, call) => {
    if (call === nth) throw new Error('broken');
    return `Notes ${call}.\nExpand for details about: wording`;
  });
