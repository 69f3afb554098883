/** Checks of what a client sends to open or resume a session. */
import { refuseIntents } from './intents.ts';
import { isObject } from './is-object.ts';
import type { FakeDiscordSettings } from './options.ts';

/** A good IDENTIFY, or the close code it earns and why. */
export type IdentifyVerdict =
  | { kind: 'accepted'; intents: number; shardId: number; shardCount: number }
  | { kind: 'refused'; closeCode: number; reason: string };

const refused = (closeCode: number, reason: string): IdentifyVerdict => ({
  kind: 'refused',
  closeCode,
  reason,
});

/** Judge the `d` of an IDENTIFY (op 2). */
export function judgeIdentify(data: unknown, settings: FakeDiscordSettings): IdentifyVerdict {
  if (!isObject(data) || typeof data['token'] !== 'string' || !isObject(data['properties'])) {
    return refused(4002, 'Error while decoding payload.');
  }
  if (bareToken(data['token']) !== settings.token) return refused(4004, 'Authentication failed.');
  const shard: unknown = data['shard'] ?? [0, 1];
  if (!isShard(shard)) return refused(4010, 'Invalid shard.');
  const [shardId, shardCount] = shard;
  const intents = data['intents'];
  if (typeof intents !== 'number') return refused(4013, 'Invalid intent(s).');
  const closeCode = refuseIntents(intents, settings.intentsGranted);
  if (closeCode === 4013) return refused(4013, 'Invalid intent(s).');
  if (closeCode === 4014) return refused(4014, 'Disallowed intent(s).');
  return { kind: 'accepted', intents, shardId, shardCount };
}

/** A well-formed RESUME, or undefined when a field is missing or of the wrong type. */
export function readResume(data: unknown): { token: string; sessionId: string; seq: number } | undefined {
  if (!isObject(data)) return undefined;
  const { token, session_id: sessionId, seq } = data;
  if (typeof token !== 'string' || typeof sessionId !== 'string' || typeof seq !== 'number') return undefined;
  return { token: bareToken(token), sessionId, seq };
}

/** The gateway takes the token with and without the prefix that REST wants. */
function bareToken(token: string): string {
  return token.startsWith('Bot ') ? token.slice('Bot '.length) : token;
}

function isShard(value: unknown): value is [number, number] {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isInteger)) return false;
  const [id, count] = value as [number, number];
  return id >= 0 && id < count;
}
