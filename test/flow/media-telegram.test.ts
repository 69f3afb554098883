/** Files that people send on Telegram, from their arrival to the model and back. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  startFakeTelegram,
  startFakeTranscriber,
  type FakeTelegram,
  type ModelScript,
  type ScriptRequest,
} from '@palimpsest/testkit';
import { adapterOf } from '../support/fake-telegram.ts';
import { ogg, png } from '../support/media.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld, pause } from '../support/turn-world.ts';

const schema = sharedPath('telegram/bot-api.json');
const chatId = 4_242;
const otherChatId = 4_343;
const megabyte = 1024 * 1024;
const photoSizes = (fileId: string, fileSize = 97) => [
  { file_id: `${fileId}-small`, file_unique_id: 'u1', width: 90, height: 60, file_size: 10 },
  { file_id: fileId, file_unique_id: 'u2', width: 640, height: 480, file_size: fileSize },
];
const document = (fileId: string, name: string, size: number) => ({
  document: {
    file_id: fileId,
    file_unique_id: 'u3',
    file_name: name,
    mime_type: 'text/plain',
    file_size: size,
  },
});

describe.skipIf(schema.missing)('files on Telegram', () => {
  let telegram: FakeTelegram;
  let prompts: ScriptRequest[];

  beforeEach(async () => {
    prompts = [];
    telegram = await startFakeTelegram({ schemaPath: schema.path, liftRateLimits: true });
    telegram.addChat({ id: chatId, type: 'private', first_name: 'Ada' });
  });
  afterEach(async () => {
    const { violations } = telegram;
    await telegram.close();
    expect(violations).toEqual([]);
  });

  function open(script: ModelScript = () => ({ text: 'I see.' }), config = '') {
    const adapter = adapterOf(telegram);
    return openTurnWorld({
      script: (request) => {
        prompts.push(request);
        return script(request);
      },
      config: `platforms: {telegram: {allowed_users: [${chatId}, ${otherChatId}]}}\n${config}`,
      adapters: [adapter],
    });
  }

  async function heard(count: number, where = chatId): Promise<string[]> {
    for (const until = performance.now() + 20_000; performance.now() < until; await pause()) {
      if (telegram.sent(where).length >= count) break;
    }
    return telegram.sent(where).map(({ text }) => text);
  }

  /** Contents of the last user message of a request. */
  function lastContent(request: ScriptRequest): unknown[] {
    const { messages } = request.raw as unknown as { messages: { role: string; content: unknown[] }[] };
    return messages.findLast(({ role }) => role === 'user')!.content;
  }

  test('a photo is seen by the model with its caption, and again in the next request', async () => {
    await using world = await open();
    telegram.addFile('photo-1', png());

    telegram.userSends({ chatId, fields: { photo: photoSizes('photo-1'), caption: 'what is this?' } });
    expect(await heard(1)).toEqual(['I see.']);
    telegram.userSends({ chatId, text: 'are you sure?' });
    await heard(2);

    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: png().toString('base64') },
    };
    expect(lastContent(prompts[0]!)).toMatchObject([
      { type: 'text' },
      { type: 'text', text: 'what is this?' },
      { type: 'text', text: '[picture]' },
      image,
    ]);
    expect(JSON.stringify(prompts[1]!.raw)).toContain(png().toString('base64'));
    expect(telegram.requestsTo('getFile').map(({ params }) => params)).toEqual([{ file_id: 'photo-1' }]);
    expect(world.model.violations).toEqual([]);
  });

  test('a picture that a message answers is seen with it', async () => {
    await using world = await open();
    telegram.addFile('photo-1', png());
    telegram.userSends({ chatId, messageId: 70, fields: { photo: photoSizes('photo-1') } });
    await heard(1);

    telegram.userSends({ chatId, text: 'what is this?', replyTo: 70 });
    await heard(2);

    expect(lastContent(prompts[1]!)).toMatchObject([
      { type: 'text', text: expect.stringContaining('[answers "') },
      { type: 'text', text: 'what is this?' },
      { type: 'text', text: '[picture in the message that is answered]' },
      { type: 'image', source: { data: png().toString('base64') } },
    ]);
    expect(world.model.violations).toEqual([]);
  });

  test('an album is one question with all its pictures', async () => {
    await using _world = await open();
    for (const name of ['front', 'back']) {
      const size = name === 'front' ? 10 : 20;
      telegram.addFile(name, png(size, size));
      const fields = { photo: photoSizes(name), media_group_id: 'album-1', caption: `the ${name}` };
      telegram.userSends({ chatId, fields });
    }

    await heard(1);

    expect(prompts).toHaveLength(1);
    const content = lastContent(prompts[0]!) as { type: string; text?: string }[];
    expect(content.map(({ type, text = '' }) => (type === 'image' ? type : text)).slice(1)).toEqual([
      'the front',
      '[picture]',
      'image',
      'the back',
      '[picture]',
      'image',
    ]);
  });

  test('a text file is read; of a long one the rest is read on demand', async () => {
    const long = `begin ${'All work and no play. '.repeat(20_000)}the marker at the end`;
    await using _world = await open((request) => {
      const text = JSON.stringify(request.raw);
      const id = /read_payload with id \\\\?"(\w+)/.exec(text)?.[1];
      if (id === undefined) return { text: 'Read.' };
      if (text.includes('tool_result')) return { text: 'Read on.' };
      return { toolCalls: [{ name: 'read_payload', arguments: { id, offset: 100_000 } }] };
    });
    telegram.addFile('doc-1', Buffer.from('pier 9, größer'));
    telegram.addFile('doc-2', Buffer.from(long));

    telegram.userSends({ chatId, fields: document('doc-1', 'notes.txt', 16) });
    expect(await heard(1)).toEqual(['Read.']);
    telegram.userSends({ chatId, fields: document('doc-2', 'long.txt', long.length) });
    expect(await heard(2)).toEqual(['Read.', 'Read on.']);

    expect(lastContent(prompts[0]!).slice(1)).toEqual([
      expect.objectContaining({ text: '[file "notes.txt", 1 kB; what follows stands in it]' }),
      expect.objectContaining({ text: 'pier 9, größer' }),
    ]);
    expect(JSON.stringify(prompts.at(-1)!.raw)).toContain('[more: offset 108000]');
  });

  test('of a file over the limit the person is told, the model too, and Telegram is not asked', async () => {
    await using _world = await open();

    telegram.userSends({
      chatId,
      fields: { ...document('doc-1', 'film.txt', 20 * megabyte + 1), caption: 'read this' },
    });

    const texts = await heard(2);
    expect([...texts].sort()).toEqual([
      'I see.',
      'ℹ️ That file is too large for me: I can take up to 20 MB. Please send a smaller one, or the part that matters.',
    ]);
    expect(JSON.stringify(lastContent(prompts[0]!))).toContain('was not taken; the person was told');
    expect(telegram.requestsTo('getFile')).toEqual([]);
  });

  test('a file that cannot be fetched holds up nothing for good: both are told', async () => {
    await using _world = await open();

    telegram.userSends({ chatId, fields: { photo: photoSizes('nowhere'), caption: 'look' } });
    telegram.userSends({ chatId, text: 'hello?' });

    const texts = await heard(2);
    expect([...texts].sort()).toEqual(['I see.', 'ℹ️ I could not fetch that file. Please send it again.']);
    expect(JSON.stringify(lastContent(prompts[0]!))).toContain('[picture: it could not be fetched');
  });

  test('while a file is fetched polling goes on and other chats are answered', async () => {
    await using _world = await open();
    telegram.addFile('photo-1', png());
    const held = telegram.holdNext('getFile');
    telegram.userSends({ chatId, fields: { photo: photoSizes('photo-1') } });
    await held.reached;

    telegram.userSends({ chatId: otherChatId, text: 'and you?' });
    await heard(1, otherChatId);
    expect(telegram.sent().map((sent) => sent.chatId)).toEqual([otherChatId]);
    held.release();

    expect(await heard(1)).toEqual(['I see.']);
  });

  test('a sticker and a video are told to the model in a word', async () => {
    await using _world = await open();
    const file = { file_id: 'file-9', file_unique_id: 'u9', width: 9, height: 9 };

    telegram.userSends({
      chatId,
      fields: { sticker: { ...file, type: 'regular', is_animated: false, is_video: false, emoji: '🤣' } },
    });
    await heard(1);
    telegram.userSends({ chatId, fields: { video: { ...file, duration: 12 } } });
    await heard(2);

    expect(JSON.stringify(prompts[0]!.raw)).toContain('[sticker \\"🤣\\": only its name is known]');
    expect(JSON.stringify(prompts[1]!.raw)).toContain('[video of 12 s: it cannot be watched here');
    expect(telegram.requestsTo('getFile')).toEqual([]);
  });

  test('a picture that the model refuses costs the answer nothing but the picture', async () => {
    await using world = await open((request) =>
      JSON.stringify(request.raw).includes('"image"')
        ? { fault: 'bad_request' }
        : { text: 'Something I cannot see.' },
    );
    telegram.addFile('photo-1', png());

    telegram.userSends({ chatId, fields: { photo: photoSizes('photo-1') } });

    expect(await heard(1)).toEqual(['Something I cannot see.']);
    expect(JSON.stringify(lastContent(prompts.at(-1)!))).toContain('The picture itself is not shown to you.');
    expect(world.model.violations).toEqual([]);
  });

  describe('voice messages', () => {
    const voice = { voice: { file_id: 'voice-1', file_unique_id: 'u4', duration: 4, file_size: 68 } };

    test('are written down by the configured service before their turn', async () => {
      await using transcriber = await startFakeTranscriber({ words: () => 'Buy milk.' });
      const config = `media: {transcription: {model: whisper-1, base_url: ${transcriber.baseUrl}}}`;
      await using _world = await open(undefined, config);
      telegram.addFile('voice-1', ogg());

      telegram.userSends({ chatId, fields: voice });
      expect(await heard(1)).toEqual(['I see.']);

      expect(lastContent(prompts[0]!).slice(1)).toMatchObject([
        { text: '[voice message of 4 s; its words, written down by a machine:]' },
        { text: 'Buy milk.' },
      ]);
      expect(transcriber.heard).toMatchObject([
        { model: 'whisper-1', fileName: 'recording.ogg', mime: 'audio/ogg' },
      ]);
      expect(transcriber.violations).toEqual([]);
    });

    test('whose service is away are a note, and the turn runs', async () => {
      await using transcriber = await startFakeTranscriber({ words: () => 'Buy milk.' });
      transcriber.failNext(500);
      const config = `media: {transcription: {model: whisper-1, base_url: ${transcriber.baseUrl}}}`;
      await using _world = await open(undefined, config);
      telegram.addFile('voice-1', ogg());

      telegram.userSends({ chatId, fields: voice });

      expect(await heard(1)).toEqual(['I see.']);
      expect(JSON.stringify(prompts[0]!.raw)).toContain('its words could not be written down');
    });

    test('without a service are not even fetched, and the model is told', async () => {
      await using _world = await open();

      telegram.userSends({ chatId, fields: voice });

      expect(await heard(1)).toEqual(['I see.']);
      expect(JSON.stringify(prompts[0]!.raw)).toContain(
        '[voice message of 4 s: it cannot be listened to here',
      );
      expect(telegram.requestsTo('getFile')).toEqual([]);
    });
  });

  test('/forget leaves no trace of a file', async () => {
    await using world = await open(() => ({ text: 'Read.' }));
    telegram.addFile('doc-1', Buffer.from('the marker word'));
    telegram.userSends({ chatId, fields: document('doc-1', 'secret-name.txt', 15) });
    await heard(1);

    await world.store.erase.person({ platform: 'telegram', userId: String(chatId) });

    const texts = ['marker', 'secret-name', 'doc-1'];
    expect(await world.store.erase.traces({ texts })).toEqual({});
  });
});
