/** What the checks of a summary said, as far as the ledger knows. Pure. */
import { number } from './format.js';
import { plural } from './words.js';

const lengths = {
  normal: { tone: 'good', words: 'Taken as it was first written' },
  aggressive: { tone: 'warn', words: 'The first answer was too long; the second, shorter one was taken' },
  capped: { tone: 'warn', words: 'Too long twice: cut to its bound' },
  deterministic: { tone: 'warn', words: 'Written without a model: no answer of one passed' },
};

/** One entry a check, none where no summary was written. */
export function checksOf({ figures, outcome, tokensAfterConfirmed }) {
  if (!figures || figures.summaryTokens === 0) return [];
  const { escalation, tokensBefore } = figures;
  return [
    outcome === 'deterministic' ? lengths.deterministic : lengths[escalation],
    gainOf(figures, outcome),
    coverOf(figures),
    tokensAfterConfirmed !== null && countOf(tokensAfterConfirmed, tokensBefore),
  ].filter(Boolean);
}

function gainOf({ tokensBefore, tokensAfter }, outcome) {
  const gained = `${number(tokensBefore - tokensAfter)} tokens gained`;
  if (outcome === 'ineffective') return { tone: 'warn', words: `${gained}, less than a compaction is worth` };
  return { tone: 'good', words: `Smaller than what it stands for: ${gained}` };
}

function coverOf({ rowsDroppedWithoutSummary: dropped }) {
  if (dropped === 0) return { tone: 'good', words: 'No row left the prompt without a line about it' };
  return { tone: 'bad', words: `${plural(dropped, 'row')} left the prompt without a line about it` };
}

function countOf(confirmed, before) {
  if (confirmed < before)
    return { tone: 'good', words: 'The model counted a smaller prompt with its next call' };
  return { tone: 'warn', words: 'The model counted no smaller prompt with its next call' };
}
