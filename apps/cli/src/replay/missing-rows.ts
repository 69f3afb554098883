import type { MessageRow, Store } from '@palimpsest/core';
import type { Recording } from './recording.ts';

/**
 * Recorded lines that are not found byte for byte as a part of a row in any state or as a payload, white space at
 * both ends aside. Lines without text count as found.
 */
export async function missingRows(
  store: Store,
  sessionIds: readonly string[],
  recording: Recording,
): Promise<number> {
  const kept = new Set<string>();
  for (const sessionId of sessionIds) await collect(store, sessionId, kept);
  return recording.lines.filter((line) => line.content.trim() !== '' && !kept.has(line.content.trim()))
    .length;
}

async function collect(store: Store, sessionId: string, kept: Set<string>): Promise<void> {
  for (let afterSeq = 0; ;) {
    const page = await store.transcript.page(sessionId, { afterSeq, limit: 1_000 });
    if (page.length === 0) return;
    for (const row of page) {
      for (const text of partTexts(row)) kept.add(text.trim());
      for (const id of payloadIds(row)) kept.add((await wholePayload(store, sessionId, id)).trim());
    }
    afterSeq = page.at(-1)!.seq;
  }
}

function partTexts(row: MessageRow): string[] {
  return row.parts.flatMap((part) =>
    part.type === 'text' || part.type === 'tool_result' ? [part.text] : [],
  );
}

/** Payload parts, and previews of results that name a payload. */
function payloadIds(row: MessageRow): string[] {
  return row.parts.flatMap((part) => {
    if (part.type === 'payload') return [part.payloadId];
    const named =
      part.type === 'tool_result'
        ? /call read_payload with id "([0-9a-f]{16})"/.exec(part.text)?.[1]
        : undefined;
    return named ? [named] : [];
  });
}

async function wholePayload(store: Store, sessionId: string, id: string): Promise<string> {
  let text = '';
  for (let offset = 0; ;) {
    const page = await store.transcript.payload(sessionId, id, { offset, maxBytes: 1_000_000 });
    if (!page || page.nextOffset === offset) return text;
    text += page.text;
    offset = page.nextOffset;
  }
}
