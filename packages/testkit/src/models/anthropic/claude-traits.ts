/** What differs between Claude models on the wire. */
export interface ClaudeTraits {
  /** Smallest prefix that is cached, in tokens. */
  readonly cacheMinimum: number;
  /** Accepts `role: "system"` inside `messages`. */
  readonly midSystem: boolean;
  /** Refuses temperature, top_p, top_k and thinking budgets. */
  readonly fixedSampling: boolean;
}

// First match wins. Source: the vendor's caching and migration pages; the 5.5 models' minimum is unknown, 1,024 assumed.
const MINIMA: readonly [RegExp, number][] = [
  [/opus-5(?!-5)|(fable|mythos)-5(?!-2)/, 512],
  [/opus-4-[56]|haiku-4-5/, 4096],
  [/opus-4-7|mythos-preview|3-5-haiku|haiku-3-5/, 2048],
];
const MID_SYSTEM = /opus-4-8|opus-5|fable-5-1|mythos-5-1/;
const FIXED_SAMPLING = /opus-4-[78]|(opus|sonnet|haiku|fable|mythos)-5/;

/** Traits by model name; unknown names get 1,024 and the older behaviour. */
export function claudeTraits(model: string): ClaudeTraits {
  return {
    cacheMinimum: MINIMA.find(([names]) => names.test(model))?.[1] ?? 1024,
    midSystem: MID_SYSTEM.test(model),
    fixedSampling: FIXED_SAMPLING.test(model),
  };
}
