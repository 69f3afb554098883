/** Any course of a conversation under the model-guided engine: turns, calls of compress good and bad, commands, room. */
import { estimateParts, type NewRow, type PromptMessage } from '@palimpsest/core';
import fc from 'fast-check';
import { DcpWorld, type DcpChanges } from './dcp-world.ts';
import { userRow, words } from './memory-transcript.ts';
import { anyTurnWithImages } from './transcript-arbitrary.ts';

export type DcpAction =
  | { kind: 'turn'; rows: readonly NewRow[] }
  /** Places are shares of the refs given so far; some calls are the wrong way round. */
  | { kind: 'compress'; start: number; end: number; words: number; block: boolean }
  | { kind: 'command'; text: string }
  | { kind: 'room'; layer: 'hygiene' | 'overflow'; mode: 'full' | 'local' };

const anyShare = fc.double({ min: 0, max: 1, noNaN: true });

const anyAction: fc.Arbitrary<DcpAction> = fc.oneof(
  { weight: 5, arbitrary: anyTurnWithImages(300).map((rows) => ({ kind: 'turn' as const, rows })) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('compress' as const),
      start: anyShare,
      end: anyShare,
      words: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 200 })),
      block: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        'decompress 1',
        'decompress 2',
        'recompress 1',
        'sweep',
        'sweep 3',
        'compress',
        'manual on',
        'manual off',
        'manual off',
        'manual off',
      )
      .map((text) => ({ kind: 'command' as const, text })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('room' as const),
      layer: fc.constantFrom('hygiene' as const, 'overflow' as const),
      mode: fc.constantFrom('full' as const, 'local' as const),
    }),
  },
);

export const anyCourse: fc.Arbitrary<readonly DcpAction[]> = fc.array(anyAction, {
  minLength: 4,
  maxLength: 14,
});

/** A small window, so that nudges and room matter; a short tail, so that most calls are allowed. */
const config: DcpChanges = {
  preserveRecentMessages: 2,
  minNetTokens: 1,
  turnProtection: { enabled: false, turns: 1 },
  compress: { maxContextLimit: 3_000, minContextLimit: 1_500 },
};

export function courseWorld(): DcpWorld {
  return new DcpWorld({ windowTokens: 16_000, config });
}

/** Let one thing happen; after it the conversation ends with a message of the person, as a request does. */
export async function happen(world: DcpWorld, action: DcpAction): Promise<void> {
  switch (action.kind) {
    case 'turn':
      world.turn += 1;
      for (const row of action.rows) world.append(row);
      break;
    case 'compress':
      await world.prompt();
      await world.range(entryOf(world, action));
      break;
    case 'command':
      await world.command(action.text);
      break;
    case 'room':
      // A request that the provider refuses is never stored.
      if (action.layer === 'overflow') await world.rebuild().assemble(world.transcript, world.budget);
      else await world.prompt();
      await world.room({ layer: action.layer, mode: action.mode, promptTokens: 15_500 });
      break;
  }
  if (world.transcript.rows.at(-1)?.kind !== 'person') world.append(userRow('go on'));
}

function entryOf({ state }: DcpWorld, action: Extract<DcpAction, { kind: 'compress' }>) {
  const last = Math.max(1, state.nextRef - 1);
  const refAt = (share: number): string => `m${String(1 + Math.floor(share * (last - 1))).padStart(4, '0')}`;
  const block = state.blocks.at(-1)?.number;
  // Mostly in order and before the tail; else calls would hardly ever be taken.
  const isWrong = action.words > 150;
  const [start, end] = isWrong
    ? [1, 0]
    : [Math.min(action.start, action.end), Math.max(action.start, action.end) * 0.9];
  const startId = action.block && block !== undefined ? `b${block}` : refAt(start);
  return { startId, endId: refAt(end), summary: words(action.words) };
}

export function tokensOf(messages: readonly PromptMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateParts(message.parts), 0);
}
