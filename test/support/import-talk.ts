/** A history from elsewhere in the chat of a world. */
import type { TurnWorld } from './turn-world.ts';

/** `count` rows, of the person and of the bot in turn; row n says "Imported n. " and `text`. */
export async function importTalk(
  world: TurnWorld,
  { count, text, tokens }: { count: number; text: string; tokens: number },
): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    kind: index % 2 === 0 ? ('person' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, text: `Imported ${index}. ${text}` }],
    tokens,
  }));
  await world.history.importRows({
    account: { platform: 'local', id: 'local' },
    place: { chatId: 'test', threadId: '', kind: 'direct' },
    sender: { id: 'local', name: 'Ada', isBot: false },
    engine: 'compressor',
    rows,
  });
}
