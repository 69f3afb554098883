/** Photos, files and voice messages: what a platform announces, and what became of each. */
import type { Platform } from './chat.ts';

/** What a file is to the person who sent it. */
export type MediaKind = 'photo' | 'document' | 'voice' | 'audio' | 'video' | 'animation' | 'sticker';

/** A file of a message as the platform announces it; nothing of it is trusted. */
export interface IncomingMedia {
  kind: MediaKind;
  /** By which the platform's own fetcher finds the file again; never an address that holds a token. */
  reference: string;
  /** File name; of a sticker its emoji. */
  name?: string;
  mime?: string;
  /** Size in bytes; may pass 2^31. */
  bytes?: number;
  seconds?: number;
  /** It stands in the message that is answered, not in this one. */
  isAnswered?: true;
}

/** Why a file is not there for the model. */
export type MediaProblem =
  /** Of a kind that is never fetched here: a video, a sticker, a voice message without a transcription service. */
  | 'unsupported'
  | 'too_large'
  /** The platform no longer has it. */
  | 'gone'
  | 'unreachable'
  /** Fetched, and neither a picture, a text nor sound that can be used. */
  | 'unreadable'
  | 'not_transcribed';

/**
 * wanted: to be fetched, the message waits for it · stored: a payload of the message's session · left: it stays away.
 * `text` of a stored file: what is said in it; of a text it is only there when a turn is opened.
 */
export type MediaState =
  | { kind: 'wanted' }
  | {
      kind: 'stored';
      content: MediaContent;
      payloadId: string;
      mime: string;
      bytes: number;
      text?: string;
    }
  | { kind: 'left'; problem: MediaProblem; limitBytes?: number };

/** What a stored file is by its own bytes. */
export type MediaContent = 'image' | 'text' | 'audio';

/** A file of an accepted message. */
export interface MessageMedia extends IncomingMedia {
  state: MediaState;
}

/** A voice message that a turn is waiting for: its words are to be written down first. */
export interface AudioToHear {
  /** Seq of the mailbox row. */
  seq: number;
  media: MessageMedia;
  /** Payload of the session. */
  payloadId: string;
  mime: string;
}

/** What was heard; null: it could not be written down. */
export interface HeardAudio {
  seq: number;
  reference: string;
  text: string | null;
}

/** What an announced file begins with: only kinds that somebody can use are fetched. */
export function acceptMedia(media: IncomingMedia, fetched: readonly MediaKind[]): MessageMedia {
  const state: MediaState = fetched.includes(media.kind)
    ? { kind: 'wanted' }
    : { kind: 'left', problem: 'unsupported' };
  return { ...media, state };
}

/** A file on its way to a person; its bytes are a payload of the session. */
export interface OutgoingFile {
  /** Whole id. */
  payloadId: string;
  /** As the person sees it; no path. */
  name: string;
  mime: string;
}

/** What a tool sends: a payload of the session, or of the very result; `caption` in plain words, may be empty. */
export interface FileToSend extends OutgoingFile {
  caption: string;
}

/**
 * Largest file that a bot may send, bytes; 0: none. Telegram's own server takes 50 MB, a Discord server without boosts
 * 10 MiB; the local pages show text only.
 */
export const largestUploadBytes: Readonly<Record<Platform, number>> = {
  telegram: 50_000_000,
  discord: 10 * 1024 * 1024,
  local: 0,
};

/** A message waits for its files for this long at most, then its turn runs without them. */
export const mediaWaitMs = 300_000;

/** Tokens of a picture in a prompt, about: providers count by size and never by bytes. */
export const imageTokens = 1_500;

/** Whether a payload is a picture. */
export function isImageMime(mime: string): boolean {
  return mime.startsWith('image/');
}

/** A size for people: whole kilobytes, or megabytes with one digit. */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} kB`;
  return `${(bytes / bytesOfMegabyte(bytes)).toFixed(1).replace(/\.0$/, '')} MB`;
}

/** Platforms call 20 MiB, their limit, 20 MB, and so do we: else people would be told of 21 MB. */
export function bytesOfMegabyte(bytes: number): number {
  return bytes % 2 ** 20 === 0 ? 2 ** 20 : 1_000_000;
}
