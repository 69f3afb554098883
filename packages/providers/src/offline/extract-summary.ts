import { estimateTokens } from '@palimpsest/core';
import type { ModelRequest } from '@palimpsest/core';

const headings = [
  '## Goal',
  '## Constraints & Preferences',
  '## Progress',
  '### Done',
  '### In Progress',
  '### Blocked',
  '## Key Decisions',
  '## Relevant Files',
  '## Next Steps',
  '## Critical Context',
];
/** Headings that hold others have no lines of their own. */
const bareHeading = '## Progress';
const longestLine = 240;
const mostTokens = 1_500;

/**
 * A summary by extraction: sentences taken evenly, in order, from what the prompt quotes, under the
 * usual headings when the prompt asks for them. Deterministic, no longer than the request allows.
 */
export function extractSummary(request: ModelRequest): string {
  const prompt = request.messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n');
  const budget = Math.min(mostTokens, Math.floor(request.maxTokens * 0.8));
  const withHeadings = `${request.system.join('\n')}\n${prompt}`.includes('## Goal');
  const sentences = pickEvenly(sentencesOf(quotesIn(prompt)), budget - (withHeadings ? 120 : 0));
  return withHeadings
    ? underHeadings(sentences)
    : sentences.map((sentence) => `- ${sentence}`).join('\n') || '- (nothing was said)';
}

/** Engines quote what is to be summarised between tags on lines of their own; the instructions around it are not worth keeping. */
function quotesIn(prompt: string): string {
  const quotes = [...prompt.matchAll(/^<([a-z_-]+)[^>]*>\n([^]*?)\n<\/\1>$/gim)].map(
    (match) => match[2] ?? '',
  );
  return quotes.length > 0 ? quotes.join('\n') : prompt;
}

function sentencesOf(text: string): string[] {
  const pieces = text.split(/\n+|(?<=[.!?。！？])\s+/).map((piece) => piece.trim().replace(/^- /, ''));
  const kept = pieces.filter(
    (piece) => piece.length >= 12 && !piece.startsWith('#') && !piece.startsWith('<'),
  );
  return [
    ...new Set(
      kept.map((piece) =>
        piece.length <= longestLine ? piece : `${piece.slice(0, longestLine).toWellFormed()}…`,
      ),
    ),
  ];
}

/** As many as fit, spread over the whole range. */
function pickEvenly(sentences: readonly string[], budget: number): string[] {
  const total = sentences.reduce((sum, sentence) => sum + estimateTokens(sentence) + 2, 0);
  if (total <= budget) return [...sentences];
  const share = Math.max(0, budget) / total;
  return sentences.filter((_, index) => Math.floor((index + 1) * share) > Math.floor(index * share));
}

function underHeadings(sentences: readonly string[]): string {
  const sections = headings.filter((heading) => heading !== bareHeading);
  const perSection = Math.ceil(sentences.length / sections.length);
  return headings
    .map((heading) => {
      if (heading === bareHeading) return `${heading}\n`;
      const at = sections.indexOf(heading) * perSection;
      const own = sentences.slice(at, at + perSection);
      return `${heading}\n${(own.length > 0 ? own : ['(none)']).map((line) => `- ${line}`).join('\n')}\n`;
    })
    .join('\n');
}
