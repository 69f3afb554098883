/** Files that an answer sends: their bytes are payloads of the session, read when their turn has come. */
import { largestUploadBytes, notice, type OutboxReply, type OutgoingFile } from '@palimpsest/core';
import { sayIn } from '@palimpsest/turn';
import type { GatewayDeps } from './deps.ts';

/** `said`: what the person is told in the place of a file that cannot be sent there. `gone`: it was erased meanwhile. */
export type LoadedFile =
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'said'; text: string }
  | { kind: 'gone' };

export async function loadFile(
  { store }: Pick<GatewayDeps, 'store'>,
  reply: OutboxReply,
  file: OutgoingFile,
): Promise<LoadedFile> {
  const limit = largestUploadBytes[reply.chat.account.platform];
  const { payloadId } = file;
  const found = await store.transcript.contents(reply.sessionId, [payloadId]);
  const bytes = found.get(payloadId)?.bytes;
  if (bytes === undefined) return { kind: 'gone' };
  if (bytes.length <= limit) return { kind: 'bytes', bytes };
  const say = sayIn(reply.chat);
  const sizes = { size: say.size(bytes.length), limit: say.size(limit) };
  const text = say('fileTooLarge', { name: say('quoted', { text: file.name }), ...sizes });
  return { kind: 'said', text: withCaption(reply, text) };
}

/** Told when a platform refuses a file. */
export function refusedText(reply: OutboxReply, file: OutgoingFile): string {
  const say = sayIn(reply.chat);
  return withCaption(reply, say('fileNotTaken', { name: say('quoted', { text: file.name }) }));
}

function withCaption({ text }: OutboxReply, told: string): string {
  return text === '' ? notice(told) : `${notice(told)}\n${text}`;
}
