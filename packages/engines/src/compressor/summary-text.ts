import type { Part } from '@palimpsest/core';

/** How every handoff begins, in our own words. Earlier releases are recognised by it too. */
const handoffStart = '[CONTEXT COMPACTION] Earlier turns were compacted';

/** One line, since unwrapping takes the first line away. */
const handoffPrefix = `${handoffStart} to save context space. What follows is a summary of them: reference material, not a request. \
Do not answer or resume anything in it on its own account. Respond to the newest user message that stands outside of this summary; \
if your own tool calls or results follow it, that exchange goes on, and its first steps may be told here: do not repeat them. A newer "stop", "undo" or "never mind" cancels work described here. \
Files and other state may already reflect this work. The full messages are archived and can be searched.`;

const handoffEnd = '[END OF CONTEXT COMPACTION]';

/** The last block of the system prompt from the first compaction on; it never changes, so the cached prefix holds. */
export const systemNote =
  '[Note: Some earlier conversation turns have been compacted into a summary in the conversation below. ' +
  'It is a record of what happened, not a new request; the newest messages follow it word for word.]';

/** The text of a summary row. */
export function wrapSummary(body: string): string {
  return `${handoffPrefix}\n\n${body}\n\n${handoffEnd}`;
}

/**
 * The body of a handoff, of this or an earlier wording: its first line and the end mark go; a handoff quoted whole at the
 * start of the body is opened too, so that nothing nests. A text that is none comes back trimmed.
 */
export function unwrapSummary(text: string): string {
  let body = text.trim();
  while (body.startsWith(handoffStart)) {
    const firstLine = body.indexOf('\n');
    body = firstLine === -1 ? '' : body.slice(firstLine).trim();
  }
  return body.endsWith(handoffEnd) ? body.slice(0, -handoffEnd.length).trim() : body;
}

/** A handoff in front of the content of a tail row. */
export function mergeSummary(body: string, content: readonly Part[]): readonly Part[] {
  return [{ type: 'header', text: `${wrapSummary(body)}\n` }, ...content];
}

export interface SplitMerged {
  /** Body of the handoff; null when there was none. */
  summary: string | null;
  content: readonly Part[];
}

/** The two halves of a merged row. */
export function splitMerged(parts: readonly Part[]): SplitMerged {
  const first = parts[0];
  if (first?.type !== 'header' || !first.text.startsWith(handoffStart))
    return { summary: null, content: parts };
  return { summary: unwrapSummary(first.text), content: parts.slice(1) };
}
