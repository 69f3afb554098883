import { estimateOverhead, estimateParts, estimateTokens } from '@palimpsest/core';
import type { ModelClient, ModelEvent, ModelInfo, ModelRequest, Usage } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import { answerFromSearch } from './answer-from-search.ts';
import { extractSummary } from './extract-summary.ts';
import { findQuestion, newestMessage } from './find-question.ts';
import { keptText, wasExplained } from './kept-text.ts';

const searchTool = 'session_search';

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
  if (!newest || question === null) return { kind: 'text', text: keptText(request, newest?.text ?? '') };
  const { query, asked } = question;
  const found = resultAfter(request, newest.index);
  const canSearch = request.tools.some(({ name }) => name === searchTool);
  if (found === null && canSearch) {
    return { kind: 'call', id: `offline_${request.messages.length}`, arguments: JSON.stringify({ query }) };
  }
  const answer = answerFromSearch(query, found ?? '', { request, before: newest.index });
  if (answer !== null) return { kind: 'text', text: answer };
  // A question that asks for no search in so many words may be about anything; who knows the responder reads what it did.
  if (!asked && !wasExplained(request)) return { kind: 'text', text: keptText(request, newest.text) };
  const nothing = `(offline responder) I found nothing about "${query}" in what was said here.`;
  return { kind: 'text', text: nothing };
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
