import { duration, number, percent } from './format.js';
import { dollars, escalationWords, plural } from './words.js';

/** What a sweep of the lossless engine did to its graph, and why as much. */
function sweepFacts({ leaves, condensed, deepestDepth, decision, cacheState, stoppedBy, debtAgeSeconds }) {
  return [
    `${plural(leaves, 'leaf', 'leaves')}, ${condensed} condensed, down to depth ${deepestDepth}`,
    `${decision.replaceAll('-', ' ')}, cache ${cacheState}`,
    stoppedBy !== 'none' && `ended by ${stoppedBy.replaceAll('_', ' ')}`,
    debtAgeSeconds !== null && `owed for ${duration(debtAgeSeconds * 1000)}`,
  ].filter(Boolean);
}

/** What an attempt did and took, a few words each. */
export function factsOf(row) {
  const { figures, summaryModel, durationMs } = row;
  const facts = [`took ${duration(durationMs)}`];
  if (figures && figures.rowsArchived > 0) facts.push(`${plural(figures.rowsArchived, 'row')} archived`);
  if (figures && figures.summaryTokens > 0) facts.push(`summary ${number(figures.summaryTokens)} tokens`);
  if (figures && figures.toolResultsPruned > 0)
    facts.push(`${plural(figures.toolResultsPruned, 'tool result')} left out`);
  if (figures && figures.rowsDroppedWithoutSummary > 0)
    facts.push(`${plural(figures.rowsDroppedWithoutSummary, 'row')} without a line in the summary`);
  if (summaryModel) facts.push(`summary by ${summaryModel}`);
  if (figures && figures.summaryCalls > 0) facts.push(plural(figures.summaryCalls, 'summary call'));
  if (row.dollars !== null) facts.push(dollars(row.dollars));
  const cache = cacheWords(row);
  if (cache) facts.push(cache);
  if (row.messagesDeferred > 0) facts.push(`${plural(row.messagesDeferred, 'message')} waited`);
  if (row.sweep) facts.push(...sweepFacts(row.sweep));
  const escalation = figures && escalationWords(figures.escalation);
  if (escalation) facts.push(escalation.words);
  return facts;
}

/** How much of the prompt came from the provider's cache at the call before it and at the one behind it. */
function cacheWords({ cacheShareBefore, cacheShareAfter }) {
  const share = (part) => (part === null ? '–' : `${percent(part, 1)} %`);
  if (cacheShareBefore === null && cacheShareAfter === null) return null;
  return `read from cache ${share(cacheShareBefore)} → ${share(cacheShareAfter)}`;
}
