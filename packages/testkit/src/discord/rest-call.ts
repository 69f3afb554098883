/** What the REST routes share: the call they get, the answer they give, the fake they act on. */
import type { Gateway } from './gateway.ts';
import type { InteractionDesk } from './interaction-desk.ts';
import type { MessageSight } from './message-shape.ts';
import type { FakeDiscordSettings } from './options.ts';
import type { BucketSize } from './rate-limits.ts';
import type { UploadedFile } from './request-body.ts';
import { invalidField, refuse } from './rest-refusal.ts';
import type { SentBox } from './sent-box.ts';
import { isSnowflake, type NextId } from './snowflakes.ts';
import type { Cdn } from './cdn.ts';
import type { FakeChannel, FakeUser, StoredMessage, World } from './world.ts';

/** Everything the fake is made of, as the routes see it. */
export interface FakeParts extends MessageSight {
  settings: FakeDiscordSettings;
  world: World;
  cdn: Cdn;
  gateway: Gateway;
  desk: InteractionDesk;
  sentBox: SentBox;
  botUser: FakeUser;
  nextId: NextId;
  violations: string[];
  /** Deployed commands: the list of `global`, or of a guild id. */
  commands: Map<string, Record<string, unknown>[]>;
}

export interface RestCall {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Parsed body, already checked against the schema. */
  body: unknown;
  files: readonly UploadedFile[];
}

export interface RestAnswer {
  status: number;
  body?: unknown;
}

/** One REST route; `template` is spelled as in the OpenAPI document. */
export interface RestRoute {
  method: string;
  template: string;
  size: BucketSize;
  /** Routes with a token in the path take no Authorization header and do not count globally. */
  open?: boolean;
  /** Routes that share one bucket name it. */
  bucket?: string;
  run(call: RestCall, parts: FakeParts): RestAnswer;
}

/** A path parameter that must be an id; throws 50035 otherwise. */
export function idParam(call: RestCall, name: string): string {
  const value = call.params[name] ?? '';
  if (!isSnowflake(value))
    throw invalidField(name, 'NUMBER_TYPE_COERCE', `Value "${value}" is not snowflake.`);
  return value;
}

/** The channel named in the path; throws 10003. */
export function channelOf(call: RestCall, parts: FakeParts): FakeChannel {
  const channel = parts.world.channels.get(idParam(call, 'channel_id'));
  if (channel === undefined) throw refuse.unknownChannel();
  return channel;
}

/** The message named in the path; throws 10003 or 10008. */
export function messageOf(call: RestCall, parts: FakeParts): StoredMessage {
  const message = parts.world.message(channelOf(call, parts).id, idParam(call, 'message_id'));
  if (message === undefined) throw refuse.unknownMessage();
  return message;
}
