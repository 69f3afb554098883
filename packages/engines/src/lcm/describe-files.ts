import {
  estimateTokens,
  lcmFileId,
  type LcmNewFile,
  type LcmStore,
  type PromptMessage,
} from '@palimpsest/core';
import { fileIdsIn } from './expand-footer.ts';
import { exploreText } from './explore-text.ts';

/** Of a file this much is read to describe it. */
const readBytes = 512_000;
/** Ids remembered by a process; a forgotten one costs one look. */
const mostKnown = 10_000;

/**
 * Describe the long texts that a prompt shows only in part and nobody has described: what they are, for lcm_describe. Each is
 * looked at once a process; a text that cannot be read is left alone.
 */
export async function describeFiles(
  messages: readonly PromptMessage[],
  sessionId: string,
  { store, known }: { store: Pick<LcmStore, 'file' | 'readFile'>; known: Set<string> },
): Promise<readonly LcmNewFile[]> {
  const ids = [...new Set(messages.flatMap(shownFiles))].filter((id) => !known.has(`${sessionId} ${id}`));
  const files: LcmNewFile[] = [];
  for (const id of ids) {
    if (known.size >= mostKnown) known.clear();
    known.add(`${sessionId} ${id}`);
    const described = await describeFile(id, sessionId, store);
    if (described) files.push(described);
  }
  return files;
}

function shownFiles({ parts }: PromptMessage): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'payload' && part.mime.startsWith('text/')) return [lcmFileId(part.payloadId)];
    return part.type === 'tool_result' ? fileIdsIn(part.text) : [];
  });
}

async function describeFile(
  id: string,
  sessionId: string,
  store: Pick<LcmStore, 'file' | 'readFile'>,
): Promise<LcmNewFile | null> {
  const scope = { sessionId, onlySessionId: sessionId };
  const file = await store.file(scope, id);
  if (!file || file.exploration !== null) return null;
  const slice = await store.readFile(scope, id, { kind: 'bytes', offset: 0, maxBytes: readBytes });
  if (!slice) return null;
  const { kind, summary } = exploreText(slice.text);
  const share = slice.text.length === 0 ? 1 : file.bytes / Math.min(file.bytes, readBytes);
  return {
    payloadId: file.payloadId,
    name: file.name === '' ? kind : file.name,
    mime: file.mime,
    lines: Math.round((slice.text.match(/\n/g)?.length ?? 0) * share) + 1,
    tokens: Math.round(estimateTokens(slice.text) * share),
    exploration: summary,
  };
}
