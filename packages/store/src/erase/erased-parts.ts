/** What is left of a row's content. No I/O. */
import type { Part } from '@palimpsest/core';
import type { PhraseFinder } from './phrases.ts';

const tombstoneText = '[This message was erased.]';
const erasedSummary =
  '[The summary of earlier messages was erased together with one of them. The other messages can still be searched.]';

/** An erased row still answers to its calls, so that every prompt stays whole; nothing of what it said is in it. */
export function tombstone(parts: readonly Part[]): Part[] {
  const kept = parts.flatMap((part): Part[] => {
    if (part.type === 'tool_call') return [{ ...part, arguments: '{}' }];
    return part.type === 'tool_result' ? [{ ...part, text: tombstoneText }] : [];
  });
  return kept.length > 0 ? kept : [{ type: 'text', text: tombstoneText }];
}

/** In the place of a summary that cannot be taken apart, since its rows are another session's. */
export function erasedSummaryParts(): Part[] {
  return [{ type: 'text', text: erasedSummary }];
}

/**
 * The parts without quoted phrases; null when they hold none. A provider takes its own items back only unchanged, so
 * those that hold one are left out, and with them the others of the row, which may belong together.
 */
export function withoutQuotes(parts: readonly Part[], finder: PhraseFinder): Part[] | null {
  const changed = parts.map((part) => finder.withoutDeep(part));
  if (changed.every((part) => part === null)) return null;
  const said = parts.flatMap((part, index): Part[] =>
    part.type === 'sidecar' ? [] : [changed[index] ?? part],
  );
  return said.length > 0 ? said : [{ type: 'text', text: tombstoneText }];
}

/** An answer without the words and files of the message it quotes; null when it quotes none. */
export function withoutQuotedMessage(parts: readonly Part[]): Part[] | null {
  const own = parts.filter((part) => !isOfAnswered(part));
  let isChanged = own.length < parts.length;
  const cut = own.map((part): Part => {
    const start = part.type === 'header' ? part.text.indexOf('\n[answers ') : -1;
    if (part.type !== 'header' || start === -1) return part;
    isChanged = true;
    return { ...part, text: part.text.slice(0, start) };
  });
  return isChanged ? cut : null;
}

/** Whether a part came with the message that is answered. */
export function isOfAnswered(part: Part): boolean {
  return 'isAnswered' in part && part.isAnswered === true;
}

/** Everything a person or tool said in the parts; headers are ours. */
export function saidIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    if (part.type === 'text' || part.type === 'tool_result') return [part.text];
    return part.type === 'payload' ? [part.preview] : [];
  });
}

export function payloadsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === 'payload' ? [part.payloadId] : []));
}
