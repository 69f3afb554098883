/** How files of a message stand in the prompt. */
import { expect, test } from 'vitest';
import { renderPerson } from '@palimpsest/agent';
import type { MailboxRow, MediaState, MessageMedia } from '@palimpsest/core';

const style = { timezone: 'UTC', maxTextTokens: 1_000 };
const header = { type: 'header', text: '[2026-11-29 19:20]' };

function message(media: readonly MessageMedia[], text = ''): MailboxRow {
  return {
    seq: 1,
    chat: {
      chatRowId: 1,
      account: { platform: 'telegram', id: '7' },
      place: { chatId: '1', threadId: '', kind: 'direct' },
    },
    acceptedAt: new Date(0),
    content: {
      kind: 'message',
      message: {
        messageId: '9',
        senderId: '1',
        senderName: 'Ada',
        text,
        sentAt: new Date('2026-11-29T19:20:00Z'),
        media,
      },
    },
  };
}

function stored(content: 'image' | 'text' | 'audio', more: Partial<MediaState & { text: string }> = {}) {
  const mime = { image: 'image/png', text: 'text/plain', audio: 'audio/ogg' }[content];
  return { kind: 'stored', content, payloadId: 'f00d', mime, bytes: 2_048, ...more } as MediaState;
}

test('a picture is a payload behind its caption, and costs what a picture costs', () => {
  const media: MessageMedia = { kind: 'photo', reference: 'x', state: stored('image') };

  const row = renderPerson(message([media], 'what is this?'), style);

  expect(row.parts).toEqual([
    header,
    { type: 'text', text: 'what is this?' },
    { type: 'payload', payloadId: 'f00d', mime: 'image/png', bytes: 2_048, preview: '[picture]' },
  ]);
  expect(row.tokens).toBeGreaterThan(1_500);
  expect(row.tokens).toBeLessThan(1_550);
});

test('a message of files alone has no empty text', () => {
  const media: MessageMedia = { kind: 'photo', reference: 'x', name: 'a "b".png', state: stored('image') };

  expect(renderPerson(message([media]), style).parts).toEqual([
    header,
    {
      type: 'payload',
      payloadId: 'f00d',
      mime: 'image/png',
      bytes: 2_048,
      preview: '[picture "a \\"b\\".png"]',
    },
  ]);
});

test('several files of one message stand in order', () => {
  const first: MessageMedia = { kind: 'photo', reference: 'x', name: '1', state: stored('image') };
  const second: MessageMedia = { kind: 'sticker', reference: 'y', name: '🤣', state: left('unsupported') };

  expect(renderPerson(message([first, second], 'both'), style).parts.slice(2)).toMatchObject([
    { preview: '[picture "1"]' },
    { type: 'header', text: '[sticker "🤣": only its name is known]' },
  ]);
});

test('a short text file is read whole, and its payload goes with it', () => {
  const state = stored('text', { text: 'line one\nline two' });
  const media: MessageMedia = { kind: 'document', reference: 'x', name: 'notes.txt', state };

  expect(renderPerson(message([media]), style).parts).toEqual([
    header,
    { type: 'header', text: '[file "notes.txt", 2 kB; what follows stands in it]' },
    {
      type: 'payload',
      payloadId: 'f00d',
      mime: 'text/plain',
      bytes: 2_048,
      preview: 'line one\nline two',
    },
  ]);
});

test('a long text file is shown by its ends, with the way to the rest', () => {
  const state = stored('text', { text: `begin ${'word '.repeat(4_000)}end` });
  const media: MessageMedia = { kind: 'document', reference: 'x', state };

  const [, , payload] = renderPerson(message([media]), style).parts;

  expect(payload).toMatchObject({ type: 'payload', payloadId: 'f00d' });
  const { preview } = payload as { preview: string };
  expect(preview).toMatch(/^begin word/);
  expect(preview).toMatch(
    /\[… 20009 characters in all, kept whole: call read_payload with id "[0-9a-f]{16}"/,
  );
  expect(preview).toMatch(/word end$/);
});

test('what was said in a voice message is a text of the person', () => {
  const state = stored('audio', { text: 'Buy milk.' });
  const media: MessageMedia = { kind: 'voice', reference: 'x', seconds: 12, state };

  expect(renderPerson(message([media]), style).parts).toEqual([
    header,
    {
      type: 'payload',
      payloadId: 'f00d',
      mime: 'audio/ogg',
      bytes: 2_048,
      preview: '[voice message of 12 s; its words, written down by a machine:]',
    },
    { type: 'text', text: 'Buy milk.' },
  ]);
});

test.each([
  ['voice', left('unsupported'), 'voice message of 3 s: it cannot be listened to here; say so if it matters'],
  ['video', left('unsupported'), 'video of 3 s: it cannot be watched here; say so if it matters'],
  [
    'document',
    { kind: 'left', problem: 'too_large', limitBytes: 20_971_520 },
    'file of 3 s: it is larger than 20 MB and was not taken; the person was told',
  ],
  ['photo', left('gone'), 'picture of 3 s: it could not be fetched; the person was told'],
  ['photo', left('unreachable'), 'picture of 3 s: it could not be fetched; the person was told'],
  [
    'document',
    left('unreadable'),
    'file of 3 s: it is neither a picture nor a text, so what stands in it cannot be read here',
  ],
  [
    'voice',
    left('not_transcribed'),
    'voice message of 3 s: its words could not be written down; ask for them in writing if they matter',
  ],
  [
    'photo',
    { kind: 'wanted' },
    'picture of 3 s: it could not be fetched in time; ask for it again if it matters',
  ],
] as const)('of a %s that is not there the model is told why', (kind, state, words) => {
  const row = renderPerson(message([{ kind, reference: 'x', seconds: 3, state }]), style);

  expect(row.parts).toEqual([header, { type: 'header', text: `[${words}]` }]);
});

function left(
  problem: 'unsupported' | 'gone' | 'unreachable' | 'unreadable' | 'not_transcribed',
): MediaState {
  return { kind: 'left', problem };
}

test('a file of the message that is answered says so, in its words and for erasure', () => {
  const media: MessageMedia = {
    kind: 'document',
    reference: 'x',
    name: 'plan.txt',
    isAnswered: true,
    state: stored('text', { text: 'the plan' }),
  };

  expect(renderPerson(message([media], 'well?'), style).parts.slice(2)).toEqual([
    {
      type: 'header',
      text: '[file "plan.txt" in the message that is answered, 2 kB; what follows stands in it]',
      isAnswered: true,
    },
    {
      type: 'payload',
      payloadId: 'f00d',
      mime: 'text/plain',
      bytes: 2_048,
      preview: 'the plan',
      isAnswered: true,
    },
  ]);
});
