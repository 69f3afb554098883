/** An answer that ends before the receipt of its preview is stored: what is delivered is what stands there by then. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openAnsweringWorld, type AnsweringWorld } from '../support/answering-world.ts';
import { streamedPlatforms, type StreamedChats } from '../support/streamed-platforms.ts';
import { until } from '../support/until.ts';

/** What became of a preview is stored no sooner than `letGo`; `isRead` once the finished reply was read before that. */
function holdReceipts({ store: { outbox } }: AnsweringWorld) {
  const gate = Promise.withResolvers<void>();
  const { previewShown, closeGate } = outbox;
  vi.spyOn(outbox, 'previewShown').mockImplementation((...receipt) =>
    gate.promise.then(() => previewShown(...receipt)),
  );
  vi.spyOn(outbox, 'closeGate').mockImplementation((...shut) => gate.promise.then(() => closeGate(...shut)));
  const due = vi.spyOn(outbox, 'due');
  return {
    letGo: gate.resolve,
    isRead: () =>
      until(() =>
        due.mock.settledResults.some(({ type, value }) => type === 'fulfilled' && value.length > 0),
      ),
  };
}

for (const { name, isMissing, start } of streamedPlatforms)
  describe.skipIf(isMissing)(`on ${name} a preview whose receipt is stored late`, () => {
    let chats: StreamedChats;

    beforeEach(async () => {
      chats = await start();
    });

    afterEach(async () => {
      expect(await chats.close()).toEqual([]);
    });

    const open = () =>
      openAnsweringWorld(() => chats.makeSender(), { config: `platforms: {${name}: {allow_all: true}}` });
    const isSent = (world: AnsweringWorld) =>
      until(async () => (await world.sql(`SELECT 1 FROM outbox WHERE state = 'sent'`)).length === 1);

    test('becomes the answer, and is asked for once', async () => {
      await using world = await open();
      const receipts = holdReceipts(world);
      const turn = await world.answer(chats.asks('ada'));

      await turn.write('One');
      await until(() => chats.texts('ada').length === 1);
      await turn.finish('One two.');
      await receipts.isRead();
      receipts.letGo();
      await isSent(world);

      expect(chats.texts('ada')).toEqual(['One two.']);
      expect(chats.written('ada')).toEqual(['One']);
    });

    test('whose change was refused for its speed is left alone until that is over', async () => {
      await using world = await open();
      const turn = await world.answer(chats.asks('ada'));
      await turn.write('One');
      await until(
        async () => (await world.sql(`SELECT 1 FROM outbox_parts WHERE state = 'shown'`)).length === 1,
      );
      const receipts = holdReceipts(world);

      chats.refuseNextEdit(13_938);
      await turn.write('One two');
      await until(() => chats.edits() === 1);
      await turn.finish('One two three.');
      await receipts.isRead();
      receipts.letGo();
      const beside = await world.answer(chats.asks('bob'));
      await beside.finish('Beside.');
      await until(() => chats.texts('bob').includes('Beside.'));

      expect(chats.texts('ada')).toEqual(['One']);
      expect(chats.edits()).toBe(1);
    });

    test('is not asked for when it was refused: the answer is sent once', async () => {
      await using world = await open();
      const receipts = holdReceipts(world);
      const turn = await world.answer(chats.asks('ada'));

      chats.refuseNextSend();
      await turn.write('One');
      await until(() => chats.written('ada').length === 1);
      await turn.finish('One two.');
      await receipts.isRead();
      receipts.letGo();
      await isSent(world);

      expect(chats.texts('ada')).toEqual(['One two.']);
      expect(chats.written('ada')).toEqual(['One', 'One two.']);
    });
  });
