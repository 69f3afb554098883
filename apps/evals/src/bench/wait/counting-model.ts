import {
  estimateOverhead,
  estimateParts,
  type ModelClient,
  type ModelRequest,
  type Usage,
} from '@palimpsest/core';

/** About 100 tokens. */
const answer =
  'Noted: the crew is told, the log is written, and the next tide is looked up in the table. '.repeat(4);

/** A model that answers at once and counts its prompt a tenth higher than our estimate, as a provider's count would differ. */
export function countingModel(
  windowTokens: number,
  onRequest: (request: ModelRequest, promptTokens: number) => void,
): ModelClient {
  return {
    info: {
      provider: 'bench',
      name: 'counting',
      label: 'bench/counting',
      windowTokens,
      windowSource: 'config',
      maxOutputTokens: 8_000,
      issuer: 'bench',
      caching: null,
    },
    async *stream(request) {
      const usage = usageOf(request);
      onRequest(request, usage.promptTokens);
      yield { type: 'text', text: answer, block: 0 };
      yield { type: 'done', stop: 'end', usage };
    },
  };
}

function usageOf({ system, tools, messages }: ModelRequest): Usage {
  const estimated = messages.reduce(
    (sum, message) => sum + estimateParts(message.parts),
    estimateOverhead(system, tools),
  );
  return {
    promptTokens: Math.ceil(estimated * 1.1),
    outputTokens: 100,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
}
