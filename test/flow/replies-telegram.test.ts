/** Answers in Markdown on their whole way to Telegram: formatting, fallback to plain words, parts, files. */
import { describe, expect, test } from 'vitest';
import { type FakeTelegram } from '@palimpsest/testkit';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { adapterOf, telegramForEach } from '../support/fake-telegram.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const schema = sharedPath('telegram/bot-api.json');
const chatId = 4_242;

describe.skipIf(schema.missing)('on Telegram', () => {
  let telegram: FakeTelegram;

  telegramForEach(chatId, (opened) => (telegram = opened));

  /** A world whose model always gives this answer. */
  function open(answer: string, fileOverParts = 5) {
    const adapter = adapterOf(telegram, { fileOverParts });
    return openTurnWorld({
      script: () => ({ text: answer }),
      config: `platforms: {telegram: {allowed_users: [${chatId}]}}`,
      adapters: [adapter],
    });
  }
  const sent = () => telegram.sent(chatId);
  const ask = async (count: number) => {
    telegram.userSends({ chatId, text: 'a question' });
    await until(() => sent().length >= count);
  };

  test('an answer is shown as it was meant, and its links unfold nothing', async () => {
    await using _world = await open(
      '## Plan\n\n- **one**\n- `two`\n\n```ts\nlet a;\n```\n[docs](https://e.org/a)',
    );

    await ask(1);

    expect(sent()).toMatchObject([
      {
        text: 'Plan\n\n• one\n• two\n\nlet a;\ndocs',
        entities: [
          { type: 'bold', offset: 0, length: 4 },
          { type: 'bold', offset: 8, length: 3 },
          { type: 'code', offset: 14, length: 3 },
          { type: 'pre', offset: 19, length: 6, language: 'ts' },
          { type: 'text_link', offset: 26, length: 4, url: 'https://e.org/a' },
        ],
      },
    ]);
    expect(telegram.requestsTo('sendMessage')[0]?.params).toMatchObject({
      link_preview_options: { is_disabled: true },
    });
  });

  test.each([
    "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 3",
    'Bad Request: ENTITY_BOUNDS_INVALID',
  ])(
    'where the formatting is refused (%s) the same words arrive, and operators can see it',
    async (description) => {
      await using world = await open('**Yes**, `no`');
      telegram.failNext('sendMessage', { error_code: 400, description });

      await ask(1);
      await until(async () => (await replies(world))[0]?.['state'] === 'sent');

      expect(sent().map(({ text, entities }) => ({ text, entities }))).toEqual([
        { text: 'Yes, no', entities: [] },
      ]);
      expect(await replies(world)).toEqual([
        { state: 'sent', problem: 'Telegram refused the formatting; sent as plain text' },
      ]);
    },
  );

  test('a formatted answer whose receipt was lost is repeated with its formatting behind the mark', async () => {
    await using _world = await open('the **answer**');
    telegram.dropAnswerNext('sendMessage');

    await ask(2);

    expect(sent()[1]).toMatchObject({
      text: '(this may be a repeat)\nthe answer',
      entities: [{ type: 'bold', offset: 27, length: 6 }],
    });
  });

  test('the mark of a repeat and the word beside a file are in the language of the chat', async () => {
    await using _world = await open('Wort und noch eins.\n\n'.repeat(1_000).trim(), 3);
    telegram.dropAnswerNext('sendDocument');

    telegram.userSends({ chatId, from: { id: chatId, language_code: 'de' }, text: 'eine Frage' });
    await until(() => sent().length === 3);

    const caption = 'Das ist nur der Anfang. Die ganze Antwort steht in der Datei.';
    expect(sent().map(({ message }) => message['caption'])).toEqual([
      undefined,
      caption,
      `(vielleicht eine Wiederholung)\n${caption}`,
    ]);
  });

  test('code over several messages is code in each, in order and whole', async () => {
    const lines = Array.from({ length: 900 }, (_, index) => `line ${1000 + index}`);
    await using _world = await open(`Here:\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\``);

    await ask(3);

    const texts = sent().map(({ text }) => text);
    expect(texts.join('\n').split('\n')).toEqual(['Here:', '', ...lines]);
    expect(
      sent().map(({ entities }) => entities?.map(({ type, language }) => `${type} ${language}`)),
    ).toEqual([['pre py'], ['pre py'], ['pre py']]);
  });

  test('a very long answer is its beginning and a file of the Markdown', async () => {
    const answer = `# Title\n\n${'**word** and more.\n\n'.repeat(1000)}`.trim();
    await using _world = await open(answer, 3);

    await ask(2);

    const [first, file, ...others] = sent();
    expect(others).toEqual([]);
    expect(first?.text?.startsWith('Title\n\nword and more.\n\nword')).toBe(true);
    expect(file?.message).toMatchObject({
      caption: 'This is only the beginning. The whole answer is in the file.',
      document: { file_name: 'answer.md', file_size: Buffer.byteLength(answer) },
    });
  });

  test('in a group only the first part points at the message that is answered', async () => {
    const group = -1_001;
    telegram.addChat({ id: group, type: 'supergroup', title: 'Printers' });
    await using _world = await open('word and more. '.repeat(600));

    const { message } = telegram.userSends({
      chatId: group,
      from: chatId,
      text: '@palimpsest_test_bot tell me a lot',
    });
    await until(() => telegram.sent(group).length === 3);

    const { message_id } = message as { message_id: number };
    expect(telegram.requestsTo('sendMessage').map(({ params }) => params['reply_parameters'])).toEqual([
      { message_id, allow_sending_without_reply: true },
      undefined,
      undefined,
    ]);
  });

  test('where files may not be sent the whole answer comes in messages', async () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `word${index}`);
    await using _world = await open(words.join(' '), 3);
    telegram.failNext('sendDocument', {
      error_code: 400,
      description: 'Bad Request: not enough rights to send documents to the chat',
    });

    await ask(7);

    expect(sent().flatMap(({ text }) => (text ?? '').split(' '))).toEqual(words);
  });

  test('commands are answered word for word', async () => {
    await using _world = await open('unused');

    telegram.userSends({ chatId, text: '/title my_**own**_title' });
    await until(() => sent().length === 1);

    expect(sent()[0]?.text).toContain('my_**own**_title');
    expect(sent()[0]?.entities?.filter(({ type }) => type === 'bold' || type === 'italic')).toEqual([]);
  });
});

function replies(world: TurnWorld): Promise<Record<string, unknown>[]> {
  return withClient(world.databaseUrl, async (client) => {
    const { rows } = await client.query('SELECT state, problem FROM outbox ORDER BY id');
    return rows;
  });
}
