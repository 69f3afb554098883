/** Splits an answer into messages: text → blank? fits? → cut, close the code block, reopen it, again. */
import { GatewayError } from '@palimpsest/core';
import { closingOf, openingOf, type Fence } from './fence.ts';
import { fenceAtEnd, findCut } from './find-cut.ts';

/** Sent in place of a text with nothing to see in it: platforms refuse empty messages, and silence would look like a fault. */
export const emptyTextMark = '(empty message)';

/** An opening line of a code block may take this share of a part, so that reopening it always leaves room for text. */
const openerShare = 1 / 8;
const smallestLimit = 16;

/**
 * Split a text into parts of at most `limit` UTF-16 units, in order.
 *
 * A text that fits is returned as it is. Cuts prefer paragraph, line, sentence and word borders in this order and never
 * fall into a surrogate pair. A code block that is cut is closed at the end of the part and reopened with its language in
 * the next; a block that the text never closes is closed in the last part. Joined, the parts are the text, apart from
 * white space at cuts and those fences. Every part has something to see; a text without is one part, `emptyTextMark`.
 *
 * throws  input_invalid when limit is below 16
 */
export function splitText(text: string, { limit }: { limit: number }): readonly string[] {
  if (!(limit >= smallestLimit))
    throw new GatewayError(
      'input_invalid',
      `a limit of ${limit} is too small to split a text; use ${smallestLimit} or more`,
    );
  if (isBlank(text)) return [emptyTextMark];
  if (text.length <= limit) return [text];
  return cutToParts(text, limit);
}

function cutToParts(text: string, limit: number): string[] {
  const longestOpener = Math.floor(limit * openerShare);
  const parts: string[] = [];
  let rest = text;
  let open: Fence | null = null;
  while (!isBlank(rest)) {
    const opening = openingOf(open);
    const room = limit - opening.length;
    const whole: string = rest + closingOf(fenceAtEndIfShort(rest, { open, longestOpener, room }));
    if (whole.length <= room) {
      parts.push(opening + whole.trimEnd());
      break;
    }
    const cut = findCut({ rest, open, room, longestOpener });
    const kept = rest.slice(0, cut.end);
    if (cut.close || !isBlank(opening + kept))
      parts.push(opening + (cut.close ? kept : kept.trimEnd()) + closingOf(cut.close));
    rest = restAfter(rest.slice(cut.next), cut.reopen);
    open = cut.reopen;
  }
  return parts;
}

function fenceAtEndIfShort(
  rest: string,
  known: { open: Fence | null; longestOpener: number; room: number },
): Fence | null {
  return rest.length > known.room ? null : fenceAtEnd({ rest, ...known });
}

/** Empty lines at a cut go; indentation stays, and code keeps its empty lines. */
function restAfter(rest: string, open: Fence | null): string {
  return open ? rest : rest.replace(/^\s*\n/, '');
}

/** Nothing to see: white space, control and format characters only. */
function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}
