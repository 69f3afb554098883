import type { ModelFailureKind } from '@palimpsest/core';

/*
 * Wordings and codes of providers, one line each with a sample of the real text; the samples are the test's fixtures.
 * Texts are matched only where no code exists. Named groups `prompt` and `window` are figures in tokens.
 */

export interface Wording {
  source: string;
  pattern: RegExp;
  sample: string;
}

/** These win over everything: a throttled request often talks of "too many tokens". */
export const rateLimitWordings: readonly Wording[] = [
  {
    source: 'Bedrock',
    pattern: /too many tokens, please wait/i,
    sample: 'Too many tokens, please wait before trying again.',
  },
  {
    source: 'Bedrock',
    pattern: /throttlingexception/i,
    sample: 'ThrottlingException: Your request was denied due to request throttling.',
  },
  {
    source: 'Anthropic',
    pattern: /exceed your organization.s rate limit/i,
    sample: "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
  },
  {
    source: 'OpenAI',
    pattern: /rate limit reached/i,
    sample:
      'Rate limit reached for gpt-5.5 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.',
  },
  {
    source: 'Groq',
    pattern: /tokens per minute \(tpm\)/i,
    sample:
      'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7500, please reduce your message size and try again.',
  },
  {
    source: 'Google',
    pattern: /resource has been exhausted|resource_exhausted/i,
    sample: 'Resource has been exhausted (e.g. check quota).',
  },
  {
    source: 'OpenRouter',
    pattern: /rate-limited upstream/i,
    sample: 'x/y is temporarily rate-limited upstream. Please retry shortly.',
  },
  { source: 'several', pattern: /too many requests/i, sample: 'Too Many Requests' },
];

/** The prompt does not fit, in each provider's words. */
export const overflowWordings: readonly Wording[] = [
  {
    source: 'Anthropic',
    pattern: /prompt is too long(?:: (?<prompt>[\d,]+) tokens > (?<window>[\d,]+) maximum)?/i,
    sample: 'prompt is too long: 215000 tokens > 200000 maximum',
  },
  {
    source: 'Anthropic',
    pattern:
      /input length and `max_tokens` exceed context limit: (?<prompt>[\d,]+) \+ [\d,]+ > (?<window>[\d,]+)/i,
    sample:
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
  },
  {
    source: 'OpenRouter',
    pattern:
      /endpoint's maximum context length is (?<window>[\d,]+) tokens\. However, you requested about (?<prompt>[\d,]+) tokens/i,
    sample:
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 in the output).",
  },
  {
    source: 'Mistral',
    pattern: /too large for model with (?<window>[\d,]+) maximum context length/i,
    sample:
      'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
  },
  {
    source: 'OpenAI, vLLM',
    pattern:
      /maximum context length is (?<window>[\d,]+) tokens[^]*?(?:(?<prompt>[\d,]+) in the messages|resulted in (?<prompt2>[\d,]+) tokens|$)/i,
    sample:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130042 tokens. Please reduce the length of the messages.",
  },
  {
    source: 'OpenAI',
    pattern: /exceeds the context window of this model/i,
    sample: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  {
    source: 'llama.cpp',
    pattern: /exceeds the available context size(?: \((?<window>[\d,]+) tokens\))?/i,
    sample: 'the request exceeds the available context size (4096 tokens), try increasing it',
  },
  {
    source: 'Google',
    pattern:
      /input token count(?: \((?<prompt>[\d,]+)\))? exceeds the maximum(?: number of tokens allowed)?(?: \(?(?<window>[\d,]+)\)?)?/i,
    sample: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
  {
    source: 'xAI',
    pattern: /maximum prompt length is (?<window>[\d,]+)(?: but the request contains (?<prompt>[\d,]+))?/i,
    sample: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
  },
  {
    source: 'Groq',
    pattern: /reduce the length of the messages/i,
    sample: 'Please reduce the length of the messages or completion.',
  },
  {
    source: 'Together',
    pattern: /longer than the model's context length/i,
    sample: "Input is longer than the model's context length.",
  },
  {
    source: 'Kimi',
    pattern: /exceeded model token limit(?:: (?<window>[\d,]+))?(?: \(requested: (?<prompt>[\d,]+)\))?/i,
    sample: 'Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)',
  },
  {
    source: 'MiniMax',
    pattern: /context window exceeds limit/i,
    sample: 'invalid params, context window exceeds limit (2013)',
  },
  {
    source: 'LM Studio',
    pattern: /greater than the context length/i,
    sample: 'The number of tokens to keep from the initial prompt is greater than the context length.',
  },
  {
    source: 'LM Studio',
    pattern: /model is loaded with context length of only (?<window>[\d,]+) tokens/i,
    sample:
      'Trying to keep the first 6200 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
  },
  {
    source: 'Ollama',
    pattern: /input length exceeds (?:the )?(?:maximum )?context length/i,
    sample: 'the input length exceeds the context length',
  },
  {
    source: 'Bedrock',
    pattern: /input is too long for requested model/i,
    sample: 'Input is too long for requested model.',
  },
  {
    source: 'Cohere',
    pattern: /too many tokens: total number of tokens/i,
    sample:
      'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 131200. Try using a shorter prompt.',
  },
  {
    source: 'z.ai',
    pattern: /prompt exceeds max length/i,
    sample: 'Prompt exceeds max length',
  },
  {
    source: 'DashScope',
    pattern: /range of input length should be(?: \[\d+, (?<window>[\d,]+)\])?/i,
    sample: 'Range of input length should be [1, 129024]',
  },
  { source: 'Copilot', pattern: /failed to parse request/i, sample: 'failed to parse request' },
];

/** Codes and types that say it all, whatever the status. */
export const codeKinds: Readonly<Record<string, ModelFailureKind>> = {
  // Limits that no waiting lifts.
  insufficient_quota: 'quota',
  contract_spend_limit_reached: 'quota',
  enforced_spend_limit_reached: 'quota',
  usage_limit_reached: 'quota',
  usage_not_included: 'quota',
  billing_error: 'quota',
  payment_error: 'quota',
  billing_hard_limit_reached: 'quota',
  // Limits that time lifts.
  ramp_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  overloaded_error: 'overloaded',
  compaction_unavailable: 'overloaded',
  // The prompt.
  context_length_exceeded: 'overflow',
  exceed_context_size_error: 'overflow',
  request_too_large: 'overflow',
  '1261': 'overflow',
  // Who asks for what.
  authentication_error: 'auth',
  invalid_api_key: 'auth',
  permission_error: 'auth',
  model_not_found: 'model_not_found',
  not_found_error: 'model_not_found',
  // The rest.
  timeout_error: 'timeout',
  api_error: 'server_error',
  invalid_encrypted_content: 'bad_request',
};

/** Limits that are worded like rate limits and are none: money. */
export const quotaWordings: readonly Wording[] = [
  {
    source: 'Anthropic',
    pattern: /credit balance is too low/i,
    sample: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
  },
  {
    source: 'OpenAI',
    pattern: /exceeded your current quota/i,
    sample: 'You exceeded your current quota, please check your plan and billing details.',
  },
  {
    source: 'OpenRouter',
    pattern: /requires more credits|insufficient credits/i,
    sample: 'This request requires more credits, or fewer max_tokens.',
  },
];
