/** What people are told about compaction: short, plain, and that nothing is lost. No settings, no numbers of ours. */

/** A message had to wait for the summary. */
export const condensedText =
  'I condensed the older part of our conversation before answering. Nothing is lost: I can still look everything up.';

/** The summary model failed or was too slow, so a local summary took its place. */
export const localSummaryText =
  'Our conversation had become long, and its summary could not be written in time. I go on with a brief outline of the older part; nothing is lost, and I can still look everything up.';

/** No summary could be made and the history stayed as it is. */
export const summaryFailedText =
  'I could not condense the older part of our conversation just now; it stays as it is. If answers get slow, send /compress to try again or /new to begin afresh.';

/** The model of the summaries failed and the main model wrote one: no swap is silent, and reading anew has its price. */
export function mainTookOverText(failed: string, wrote: string): string {
  return `${failed}, which writes my summaries, failed, so ${wrote} wrote the newest one and read the older part of our conversation once more at full price. Nothing is lost.`;
}
