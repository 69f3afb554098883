/** Messages with files in a store: how they arrive, are fetched and are read. */
import { renderPerson } from '@palimpsest/agent';
import type { IncomingMedia, MediaTask, SettledMedia } from '@palimpsest/core';
import { readFetched } from '@palimpsest/platforms';
import { account, type claimed, listsOfAll, type MessageWish, messageUpdate, policy } from './intake.ts';
import type { TestStore } from './open-test-store.ts';

export const photo: IncomingMedia = { kind: 'photo', reference: 'file-1' };
export const notes: IncomingMedia = { kind: 'document', reference: 'file-2', name: 'notes.txt' };
export const voice: IncomingMedia = { kind: 'voice', reference: 'file-3', seconds: 4 };
export const options = { limit: 10, holdMs: 60_000 };

export const withFiles = (id: number, media: readonly IncomingMedia[], wish: MessageWish = {}) =>
  messageUpdate(id, '', { media, ...wish });

export function fetched(media: IncomingMedia, bytes: Uint8Array): SettledMedia {
  return { reference: media.reference, ...readFetched(bytes, media, { hears: true }) };
}

/** `world`: the store of the test that runs. */
export function filesIn(world: () => TestStore) {
  return {
    async arrive(...updates: ReturnType<typeof messageUpdate>[]): Promise<string> {
      const wish = policy({ media: ['photo', 'document', 'voice'] });
      const results = await world().store.intake.storeUpdates(wish, updates);
      return results.find((result) => result.sessionId !== undefined)!.sessionId!;
    },
    taken: async (): Promise<MediaTask> => (await world().store.media.take(account, options))[0]!,
    work: (lease: Awaited<ReturnType<typeof claimed>>) =>
      world().store.turns.nextWork(lease, {
        maxTexts: 20,
        maxCharacters: 100_000,
        maxAttempts: 3,
        collect: true,
        lists: listsOfAll(),
        render: (row, goesOn) => renderPerson(row, { timezone: 'UTC', maxTextTokens: 10_000, goesOn }),
      }),
    parts: async (sessionId: string) =>
      (await world().store.transcript.liveRows(sessionId)).map((row) => row.parts),
    payloads: () => world().sql('SELECT session_id, mime, bytes::int FROM payloads ORDER BY mime'),
  };
}
