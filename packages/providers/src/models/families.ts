/** What we know of a family of models. Tokens throughout. */
export interface ModelFamily {
  /** Start of the model's name without vendor, dots as dashes, lower case. */
  key: string;
  windowTokens: number;
  maxOutputTokens: number;
  /** Smallest prefix that is cached; null: unknown or no marks of ours. */
  cacheMinimumTokens: number | null;
}

/** [key, window, most output, cache minimum] */
type Line = readonly [
  key: string,
  windowTokens: number,
  maxOutputTokens: number,
  cacheMinimumTokens?: number,
];

/*
 * Written by hand from the vendors' pages and cross-checked in November 2026 against the catalogue of
 * @earendil-works/pi-ai 1.6.0 (generated 2026-11-20). Windows are those of the direct API; where a vendor sells a
 * cheaper tier below the window (gpt-5.5 up to 272K) the window counts. A window in the config wins over this table.
 * Cache minimum of the 5.5 Claude models is not published; 1,024 is the family's usual value.
 */
const lines: readonly Line[] = [
  // Anthropic
  ['claude-fable', 1_000_000, 128_000, 512],
  ['claude-mythos', 1_000_000, 128_000, 512],
  ['claude-opus-5', 1_000_000, 128_000, 512],
  ['claude-opus-5-5', 1_000_000, 128_000, 1024],
  ['claude-opus-4-8', 1_000_000, 128_000, 1024],
  ['claude-opus-4-7', 1_000_000, 128_000, 2048],
  ['claude-opus-4-6', 1_000_000, 128_000, 4096],
  ['claude-opus-4-5', 200_000, 64_000, 4096],
  ['claude-opus-4', 200_000, 32_000, 1024],
  ['claude-opus', 1_000_000, 128_000, 4096],
  ['claude-sonnet-5', 1_000_000, 128_000, 1024],
  ['claude-sonnet-4-6', 1_000_000, 128_000, 1024],
  ['claude-sonnet-4-5', 200_000, 64_000, 1024],
  ['claude-sonnet-4', 200_000, 64_000, 1024],
  ['claude-sonnet', 1_000_000, 128_000, 1024],
  ['claude-haiku-5-5', 1_000_000, 128_000, 1024],
  ['claude-haiku-4-5', 200_000, 64_000, 4096],
  ['claude-haiku', 200_000, 64_000, 4096],
  ['claude-3', 200_000, 4_096, 2048],
  ['claude', 200_000, 32_000, 4096],
  // OpenAI
  ['gpt-6', 1_050_000, 128_000],
  ['gpt-5-6', 1_050_000, 128_000],
  ['gpt-5-6-cyber', 400_000, 128_000],
  ['gpt-5-5', 1_050_000, 128_000],
  ['gpt-5-4', 1_050_000, 128_000],
  ['gpt-5-4-mini', 400_000, 128_000],
  ['gpt-5-4-nano', 400_000, 128_000],
  ['gpt-5-3-codex-spark', 128_000, 32_000],
  ['gpt-5', 400_000, 128_000],
  ['gpt-5-chat', 128_000, 16_384],
  ['gpt-4-1', 1_047_576, 32_768],
  ['gpt-4o', 128_000, 16_384],
  ['gpt-4-turbo', 128_000, 4_096],
  ['gpt-4', 8_192, 4_096],
  ['gpt-oss', 131_072, 32_768],
  ['o1', 200_000, 100_000],
  ['o3', 200_000, 100_000],
  ['o4', 200_000, 100_000],
  // Google
  ['gemini', 1_048_576, 65_536],
  ['gemini-4', 1_048_576, 32_768],
  ['gemma-4', 262_144, 16_384],
  ['gemma-3', 131_072, 16_384],
  // xAI
  ['grok-4', 256_000, 30_000],
  ['grok-4-20', 2_000_000, 30_000],
  ['grok-4-3', 1_000_000, 30_000],
  ['grok-4-5', 500_000, 30_000],
  ['grok-4-6', 500_000, 30_000],
  ['grok-4-7', 500_000, 30_000],
  // Zhipu, Moonshot, DeepSeek, MiniMax
  ['glm-5', 1_000_000, 131_072],
  ['glm-5-turbo', 200_000, 131_072],
  ['glm-4', 200_000, 98_304],
  ['kimi-k3', 1_048_576, 131_072],
  ['kimi-k2', 262_144, 65_536],
  ['deepseek-v4', 1_000_000, 128_000],
  ['deepseek-flash', 1_000_000, 128_000],
  ['deepseek', 128_000, 8_192],
  ['minimax-m3', 1_000_000, 128_000],
  ['minimax-m2', 204_800, 131_072],
  // Mistral
  ['mistral-large', 262_144, 32_768],
  ['mistral-medium', 131_072, 32_768],
  ['mistral-small', 128_000, 16_384],
  ['devstral', 262_144, 32_768],
  ['codestral', 256_000, 4_096],
  ['magistral', 128_000, 16_384],
  ['ministral', 131_072, 32_768],
  // Qwen, Llama, Cohere, Amazon
  ['qwen3-coder', 262_144, 65_536],
  ['qwen3-5', 262_144, 65_536],
  ['qwen3-6', 262_144, 65_536],
  ['qwen3-7', 262_144, 65_536],
  ['qwen3-8', 262_144, 65_536],
  ['qwen3', 40_960, 16_384],
  ['llama-4', 327_680, 16_384],
  ['llama-3', 128_000, 8_192],
  ['command-a', 192_000, 8_192],
  ['command-r', 128_000, 4_000],
  ['nova-premier', 1_000_000, 32_000],
  ['nova-2', 1_000_000, 64_000],
  ['nova', 128_000, 5_120],
  // The responder that needs no account
  ['offline-responder', 128_000, 2_000],
];

export const families: readonly ModelFamily[] = lines.map(
  ([key, windowTokens, maxOutputTokens, cacheMinimumTokens]) => ({
    key,
    windowTokens,
    maxOutputTokens,
    cacheMinimumTokens: cacheMinimumTokens ?? null,
  }),
);
