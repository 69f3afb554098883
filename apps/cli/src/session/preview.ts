import { GatewayError, silentMeter } from '@palimpsest/core';
import { openReader, previewCompaction, type CompactionPreview } from '@palimpsest/turn';
import { createMainModel, createWorkerDeps, loadInstalledPlugIns, ownerName } from '../start-parts.ts';
import type { StoreAndQueue } from '../with-store.ts';

/**
 * What a compaction of the session would do now, with this machine's config; reads only, so that no worker is needed.
 * throws row_missing for an unknown session
 */
export async function previewSession(
  parts: StoreAndQueue,
  sessionId: string,
  focus: string | undefined,
): Promise<CompactionPreview> {
  const owner = ownerName();
  const session = await parts.store.turns.session(sessionId);
  if (!session)
    throw new GatewayError('row_missing', `there is no session ${sessionId}; \`session list\` shows them.`);
  const plugIns = await loadInstalledPlugIns(parts);
  const all = { ...parts, meter: silentMeter, owner, plugIns };
  const deps = createWorkerDeps(all, createMainModel(parts.settings));
  const reader = await openReader(deps, session);
  return previewCompaction(reader, { focus, signal: new AbortController().signal });
}
