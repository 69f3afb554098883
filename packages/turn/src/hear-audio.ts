import type { AudioToHear, HeardAudio } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

/**
 * Have voice messages written down before their turn, one after another, while later messages wait behind them. One that
 * cannot be goes to the model as a note: the turn runs in any case. An ending worker leaves the rest to the next holder.
 */
export async function hearAudio(
  claimed: ClaimedSession,
  audio: readonly AudioToHear[],
  ending: AbortSignal,
): Promise<void> {
  const { store } = claimed.deps;
  const ids = audio.map(({ payloadId }) => payloadId);
  const contents = await store.transcript.contents(claimed.session.id, ids);
  for (const one of audio) {
    if (ending.aborted) return;
    const content = contents.get(one.payloadId);
    const text = content === undefined ? null : await hear(claimed, { one, bytes: content.bytes }, ending);
    if (ending.aborted && text === null) return;
    const heard: HeardAudio = { seq: one.seq, reference: one.media.reference, text };
    await store.turns.storeHeard(claimed.lease, [heard]);
  }
}

async function hear(
  { deps, session }: ClaimedSession,
  { one, bytes }: { one: AudioToHear; bytes: Uint8Array },
  ending: AbortSignal,
): Promise<string | null> {
  if (deps.transcriber === undefined) return null;
  try {
    const text = await deps.transcriber.transcribe({ bytes, mime: one.mime }, ending);
    return text.trim() === '' ? null : text;
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    deps.logger.warn({ sessionId: session.id, problem }, 'a voice message could not be written down');
    return null;
  }
}
