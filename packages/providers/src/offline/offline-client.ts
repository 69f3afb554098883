import { estimateOverhead, estimateParts, estimateTokens } from '@palimpsest/core';
import type { ModelClient, ModelEvent, ModelInfo, ModelRequest, Usage } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import { answerFromSearch } from './answer-from-search.ts';
import { extractSummary } from './extract-summary.ts';
import { findQuestion, newestMessage } from './find-question.ts';

const searchTool = 'session_search';

const helpText =
  '(offline responder) No model answered this: no model key is set. Your message is kept, and I can look things up: ' +
  'write "find" and a few words, or ask "what did I say about" something. For real answers set ANTHROPIC_API_KEY, ' +
  'OPENROUTER_API_KEY or OPENAI_API_KEY, for example in the file .env, and start again.';

/**
 * Answers without any account, so that everything around a model can be tried: finds what was said through
 * session_search, summarises by extraction, and says what it is. Deterministic; needs no network.
 */
export function createOfflineClient(info: ModelInfo): ModelClient {
  return {
    info,
    async *stream(request, signal) {
      const answer = decide(request);
      const said = answer.kind === 'text' ? answer.text : '';
      for (const word of said.match(/\S+\s*|\s+/g) ?? []) {
        if (signal.aborted) break;
        yield { type: 'text', text: word, block: 0 } satisfies ModelEvent;
      }
      if (signal.aborted)
        return yield {
          type: 'failed',
          failure: failure('aborted', 'the offline responder'),
        } satisfies ModelEvent;
      if (answer.kind === 'call')
        yield {
          type: 'tool_call',
          id: answer.id,
          name: searchTool,
          arguments: answer.arguments,
        } satisfies ModelEvent;
      const written = answer.kind === 'call' ? answer.arguments : said;
      yield {
        type: 'done',
        stop: answer.kind === 'call' ? 'tool_calls' : 'end',
        usage: usageOf(request, written),
      } satisfies ModelEvent;
    },
  };
}

type Answer = { kind: 'text'; text: string } | { kind: 'call'; id: string; arguments: string };

function decide(request: ModelRequest): Answer {
  if (request.purpose === 'summary') return { kind: 'text', text: extractSummary(request) };
  const newest = newestMessage(request);
  const question = newest ? findQuestion(newest.text) : null;
  if (!newest || question === null) return { kind: 'text', text: helpText };
  const { query, asked } = question;
  const found = resultAfter(request, newest.index);
  const canSearch = request.tools.some(({ name }) => name === searchTool);
  if (found === null && canSearch) {
    return { kind: 'call', id: `offline_${request.messages.length}`, arguments: JSON.stringify({ query }) };
  }
  const answer = answerFromSearch(query, found ?? '', { request, before: newest.index });
  if (answer !== null) return { kind: 'text', text: answer };
  const nothing = `(offline responder) I found nothing about "${query}" in what was said here.`;
  return { kind: 'text', text: asked ? nothing : helpText };
}

function resultAfter(request: ModelRequest, index: number): string | null {
  for (const message of request.messages.slice(index + 1)) {
    for (const part of message.parts) {
      if (part.type === 'tool_result' && part.name === searchTool) return part.isError ? '' : part.text;
    }
  }
  return null;
}

/** There is no other count of what this responder read than our estimate. */
function usageOf(request: ModelRequest, written: string): Usage {
  const promptTokens = request.messages.reduce(
    (sum, message) => sum + estimateParts(message.parts),
    estimateOverhead(request.system, request.tools),
  );
  return {
    promptTokens,
    outputTokens: estimateTokens(written),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
}
