/** The ledger in a form to look at. Pure. */

const declined = new Set(['skipped', 'noop']);
const tones = {
  success: 'good',
  deterministic: 'good',
  fallback_trim: 'warn',
  ineffective: 'warn',
  failed: 'bad',
  aborted: 'bad',
};

export function toneOf({ outcome }) {
  return tones[outcome] ?? '';
}

/** /new sets every row aside and tells none of them in a summary: nothing was condensed, so nothing was saved. */
export function isNewChapter({ trigger, figures }) {
  return trigger === 'manual' && figures?.summaryTokens === 0 && figures.rowsAfter === 0;
}

/** Attempts that were declined one after the other for the same reason are one entry: they say one thing. */
export function groupAttempts(rows) {
  const groups = [];
  for (const row of rows) {
    const last = groups.at(-1);
    const isSame =
      last &&
      declined.has(row.outcome) &&
      row.reason === last.rows[0].reason &&
      declined.has(last.rows[0].outcome);
    if (isSame) last.rows.push(row);
    else groups.push({ rows: [row] });
  }
  return groups;
}
