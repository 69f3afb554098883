/** Files of a person's message as parts of its row: pictures, texts, what was said, and a plain word of everything else. */
import {
  type MediaKind,
  type MediaState,
  type MessageMedia,
  never,
  type Part,
  sizeWords,
} from '@palimpsest/core';
import { asPayload, isLongText } from './long-text.ts';

type Stored = Extract<MediaState, { kind: 'stored' }>;
type Left = Extract<MediaState, { kind: 'left' }>;

const nameLimit = 240;

const kindWords = {
  photo: 'picture',
  document: 'file',
  voice: 'voice message',
  audio: 'recording',
  video: 'video',
  animation: 'animation',
  sticker: 'sticker',
} as const satisfies Record<MediaKind, string>;

/** `maxTextTokens`: a longer text is shown by its ends. */
export function renderMedia(media: MessageMedia, maxTextTokens: number): readonly Part[] {
  const parts = partsOf(media, maxTextTokens);
  return media.isAnswered ? parts.map((part) => ({ ...part, isAnswered: true })) : parts;
}

/** A part that may stand in the message that is answered. */
type MediaPart = Extract<Part, { isAnswered?: true }>;

function partsOf(media: MessageMedia, maxTextTokens: number): readonly MediaPart[] {
  const { state } = media;
  switch (state.kind) {
    case 'stored':
      return storedParts(media, state, maxTextTokens);
    case 'left':
      return [note(media, whyLeft(media.kind, state))];
    case 'wanted':
      return [note(media, 'it could not be fetched in time; ask for it again if it matters')];
    default:
      return never(state);
  }
}

function storedParts(media: MessageMedia, state: Stored, maxTextTokens: number): readonly MediaPart[] {
  const { payloadId, mime, bytes, text = '' } = state;
  const payload = (preview: string): MediaPart => ({ type: 'payload', payloadId, mime, bytes, preview });
  switch (state.content) {
    case 'image':
      return [payload(`[${what(media)}]`)];
    case 'text':
      return [
        { type: 'header', text: `[${what(media)}, ${sizeWords(bytes)}; what follows stands in it]` },
        payload(isLongText(text, maxTextTokens) ? asPayload(text, maxTextTokens).preview : text),
      ];
    case 'audio':
      return [payload(`[${what(media)}; its words, written down by a machine:]`), { type: 'text', text }];
    default:
      return never(state.content);
  }
}

function note(media: MessageMedia, why: string): MediaPart {
  return { type: 'header', text: `[${what(media)}: ${why}]` };
}

/** `file "notes.txt"`; names are untrusted, so they are quoted and cannot pass for a line of ours. */
function what({ kind, name, seconds, isAnswered }: MessageMedia): string {
  const named = name === undefined ? '' : ` ${JSON.stringify(name.slice(0, nameLimit).toWellFormed())}`;
  const length = seconds === undefined ? '' : ` of ${seconds} s`;
  return `${kindWords[kind]}${named}${length}${isAnswered ? ' in the message that is answered' : ''}`;
}

function whyLeft(kind: MediaKind, { problem, limitBytes }: Left): string {
  switch (problem) {
    case 'unsupported':
      return unsupportedWords(kind);
    case 'too_large':
      return `it is larger than ${sizeWords(limitBytes ?? 0)} and was not taken; the person was told`;
    case 'gone':
    case 'unreachable':
      return 'it could not be fetched; the person was told';
    case 'unreadable':
      return 'it is neither a picture nor a text, so what stands in it cannot be read here';
    case 'not_transcribed':
      return 'its words could not be written down; ask for them in writing if they matter';
    default:
      return never(problem);
  }
}

function unsupportedWords(kind: MediaKind): string {
  if (kind === 'sticker') return 'only its name is known';
  if (kind === 'photo') return 'it was not looked at';
  const way = kind === 'video' || kind === 'animation' ? 'watched' : 'listened to';
  return `it cannot be ${way} here; say so if it matters`;
}
