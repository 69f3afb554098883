import { estimateTokens } from '@palimpsest/core';
import { cutMiddle } from './cut-middle.ts';
import { footerOf } from './expand-footer.ts';
import { neutralise } from './neutralise.ts';

/** How a text that no model wrote begins, so that people and a doctor can tell. */
export const fallbackStart = '[Shortened without a model';

/**
 * The summary that needs no model and always fits: beginning and end of the source, instructions taken out, with a word on
 * how much it was cut from. Measured in tokens, cut between characters.
 */
export function fallbackText(source: string, capTokens: number): string {
  const total = estimateTokens(source);
  const first = `${fallbackStart} from ${total} tokens.]`;
  const footer = footerOf(source);
  const frame = estimateTokens(`${first}\n\n${footer}`);
  const withFooter = frame < capTokens / 2;
  const room = capTokens - (withFooter ? frame : estimateTokens(first)) - 2;
  const safe = neutralise(source);
  const body = cutMiddle(safe, Math.max(1, room));
  const text = withFooter ? `${first}\n${body}\n${footer}` : `${first}\n${body}`;
  return cutMiddle(text, capTokens);
}
