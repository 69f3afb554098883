/** Answers that are read while they are written: one message, and at the end exactly the answer. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAnsweringWorld, type AnsweringWorld } from '../support/answering-world.ts';
import { streamedPlatforms, type Room, type StreamedChats } from '../support/streamed-platforms.ts';
import { until } from '../support/until.ts';

/** Where the two platforms show the same answer in other words. */
const shown = {
  telegram: {
    growing: ['The **ferry @everyone', 'The ferry leaves', 'The ferry leaves at nine, @everyone.'],
    // Nobody can tell whether the first one is out, and nothing there keeps it from being sent twice.
    doubtful: ['One', '(this may be a repeat)\nOne two.'],
  },
  discord: {
    growing: [
      'The \\*\\*ferry @everyone',
      'The **ferry** leaves',
      'The **ferry** leaves at nine, @everyone.',
    ],
    doubtful: ['One two.'],
  },
};

/** Bold on Telegram is beside the text; on Discord nobody is pinged, neither by the text nor by the edit. */
const looks = {
  telegram: [
    {
      entities: [
        { type: 'bold', offset: 4, length: 5 },
        { type: 'mention', offset: 26, length: 9 },
      ],
    },
  ],
  discord: [
    {
      allowedMentions: { parse: [], replied_user: false },
      pings: { everyone: false, userIds: [], roleIds: [] },
    },
  ],
};

for (const { name, limit, remembersLimits, isMissing, start } of streamedPlatforms)
  describe.skipIf(isMissing)(`on ${name} an answer that is being written`, () => {
    let chats: StreamedChats;

    beforeEach(async () => {
      chats = await start();
    });

    afterEach(async () => {
      expect(await chats.close()).toEqual([]);
    });

    const open = (keys = '') =>
      openAnsweringWorld(() => chats.makeSender(), {
        config: `platforms: {${name}: {allow_all: true${keys}}}`,
      });
    const texts = (room: Room = 'ada') => chats.texts(room);
    const shows = (...wanted: string[]) => until(() => JSON.stringify(texts()) === JSON.stringify(wanted));
    const isSent = (world: AnsweringWorld) =>
      until(async () => (await world.sql(`SELECT 1 FROM outbox WHERE state = 'sent'`)).length === 1);
    /** A message is seen before its receipt is stored; until then it may be sent once more under its nonce. */
    const areKept = (world: AnsweringWorld) =>
      until(async () => (await world.sql(`SELECT 1 FROM outbox_parts WHERE state = 'opening'`)).length === 0);
    /** A look at all chats has passed once this is out. */
    const besideIn = async (world: AnsweringWorld, end: 'write' | 'finish') => {
      const beside = await world.answer(chats.asks('bob'));
      await beside[end]('Beside.');
      await until(() => texts('bob').includes('Beside.'));
    };

    test('G15 is one message that grows, and is formatted once at the end', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));
      const [first, second, whole] = shown[name].growing;

      await turn.write('The **ferry @everyone');
      await shows(first!);
      await turn.write('The **ferry** leaves');
      await shows(second!);
      await turn.finish('The **ferry** leaves at nine, @everyone.');
      await shows(whole!);
      await isSent(world);

      expect(chats.written('ada')).toHaveLength(1);
      expect(chats.edits()).toBe(2);
      expect(chats.looksOf('ada')).toEqual(looks[name]);
    });

    test('G15 that is seen whole already stays one message', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('All of it');
      await shows('All of it');
      await areKept(world);
      await turn.finish('All of it');
      await isSent(world);

      expect(texts()).toEqual(['All of it']);
      expect(chats.written('ada')).toHaveLength(1);
      // Telegram refuses it with "not modified", which counts as sent.
      expect(chats.edits()).toBe(1);
    });

    test('goes on in a second message where it outgrows the first, and each part is exact at the end', async () => {
      await using world = await open();
      const line = (index: number): string => `Line ${index} of an answer that becomes long`;
      const text = Array.from({ length: Math.floor(limit / 27) }, (_, index) => line(index)).join('\n');
      const turn = await world.answer(chats.asks('ada'));

      await turn.write(text.slice(0, limit * 0.75));
      await until(() => texts().length === 1);
      await turn.write(text.slice(0, limit * 1.25));
      await until(() => texts().length === 2);
      await turn.finish(text);
      await until(() => texts().join('\n') === text);

      expect(texts()).toHaveLength(2);
      expect(chats.written('ada')).toHaveLength(2);
    });

    test('that ends shorter than it was shown leaves no message behind', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('word '.repeat(limit * 0.36));
      await until(() => texts().length === 2);
      await areKept(world);
      await turn.finish('Short.');
      await shows('Short.');
      await isSent(world);

      expect(chats.written('ada')).toHaveLength(2);
    });

    test('that becomes a file keeps its first message and takes the others back', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));
      const text = 'word '.repeat(limit * 1.5);

      await turn.write(text.slice(0, limit * 2.2));
      await until(() => texts().length === 3);
      await turn.finish(text);
      await until(() => chats.files('ada').includes(true));
      await isSent(world);

      expect(chats.files('ada')).toEqual([false, true]);
      expect(texts()[0]!.startsWith('word word')).toBe(true);
    });

    test('changes at most once in the configured time', async () => {
      await using world = await open(', stream_direct_every_ms: 60000');
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('One');
      await shows('One');
      await turn.write('One two');
      await turn.write('One two three');
      await turn.finish('One two three.');
      await shows('One two three.');

      expect(chats.edits()).toBe(1);
    });

    test.each([
      ['is not shown in groups before it is ready', '', ['done']],
      ['is shown in groups where the operator wants it', ', stream_in_groups: true', ['so far']],
    ])('%s', async (_, keys, written) => {
      await using world = await open(keys);
      const turn = await world.answer(chats.asks('group'));

      await turn.write('so far');
      await besideIn(world, 'write');
      await turn.finish('done');
      await until(() => texts('group').includes('done'));

      expect(chats.written('group')).toEqual(written);
      expect(texts('group')).toEqual(['done']);
    });

    test('that is refused for its speed is shown no further, and its end waits for as long as it is told', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('One');
      await shows('One');
      chats.refuseNextEdit(13_938);
      await turn.write('One two');
      await until(() => chats.edits() === 1);
      const gate = () => world.sql(`SELECT 1 FROM chats WHERE gate_until > now() + interval '13900 seconds'`);
      await until(async () => (await gate()).length === 1);
      await turn.finish('One two three.');
      await besideIn(world, 'finish');

      expect(texts()).toEqual(['One']);
      expect(await world.sql(`SELECT attempts FROM outbox WHERE text = 'One two three.'`)).toEqual([
        { attempts: 0 },
      ]);
      await world.sql('UPDATE chats SET gate_until = NULL');
      if (remembersLimits) await world.restart();
      else world.ring();
      await shows('One two three.');
    });

    test('that somebody deleted is sent anew at the end', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('One');
      await shows('One');
      chats.deleteFirst('ada');
      await turn.finish('One two.');
      await until(() => texts().includes('One two.'));

      expect(chats.written('ada')).toEqual(['One', 'One two.']);
    });

    test.each([
      ['may be lost', () => chats.loseAnswerOfNext('edit')],
      ['is refused for its speed', () => chats.refuseNextEdit(1)],
    ])('G15 whose last change %s is changed again, and never sent a second time', async (_, trouble) => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('One');
      await shows('One');
      await areKept(world);
      trouble();
      await turn.finish('One two.');
      await isSent(world);

      expect(texts()).toEqual(['One two.']);
      expect(chats.written('ada')).toEqual(['One']);
      expect(chats.edits()).toBe(2);
    });

    test.each([
      ['in the same process', false],
      ['nor does the process that takes over', true],
    ])('whose first preview may be out opens no second one, %s', async (_, isTakenOver) => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      chats.loseAnswerOfNext('send');
      await turn.write('One');
      await shows('One');
      if (isTakenOver) await world.restart();
      await turn.write('One two');
      await besideIn(world, 'write');
      await turn.finish('One two.');
      await shows(...shown[name].doubtful);
    });

    test('is gone on with by the process that takes over, in the same message', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('One');
      await shows('One');
      await world.restart();
      await turn.write('One two');
      await shows('One two');
      await world.restart();
      await turn.finish('One two three.');
      await shows('One two three.');

      expect(chats.written('ada')).toEqual(['One']);
    });

    test('of a turn that is given up is taken back', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('One');
      await shows('One');
      await turn.bury();
      await shows();
    });

    test('waits with its preview while an older answer of the chat is not out', async () => {
      await using world = await open();
      const older = await world.answer(chats.asks('ada'));
      chats.failNextSend();
      await older.finish('Older.');
      const newer = await world.answer(chats.asks('ada'));
      await newer.write('Newer');
      await until(() => texts().length === 2);

      expect(texts()).toEqual(['Older.', 'Newer']);
    });
  });
