import { estimateParts, type NewRow, type Part } from '@palimpsest/core';
import fc from 'fast-check';
import { answerRow, callRow, resultRow, syntheticRow, userRow, words } from './memory-transcript.ts';

/** Any text a chat may bring: empty, short, long, wide characters, one unbroken run. */
function anyText(mostWords: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 6, arbitrary: fc.integer({ min: 1, max: mostWords }).map(words) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 1, max: mostWords })
        .map((count) => '圧縮漢字🦊'.repeat(Math.ceil(count / 5))),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: mostWords }).map((count) => 'a1B2'.repeat(count)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  );
}

interface Round {
  args: string;
  results: string[];
  said: string;
}

const anyRound = (mostWords: number): fc.Arbitrary<Round> =>
  fc.record({
    args: anyText(40),
    results: fc.array(anyText(mostWords), { minLength: 1, maxLength: 3 }),
    said: anyText(20),
  });

/** One turn: messages of the person, tool rounds with parallel calls, perhaps notes of ours, perhaps no answer. */
export function anyTurn(mostWords: number): fc.Arbitrary<readonly NewRow[]> {
  return fc
    .record({
      asked: fc.array(anyText(mostWords), { minLength: 1, maxLength: 3 }),
      rounds: fc.array(anyRound(mostWords), { maxLength: 4 }),
      note: fc.boolean(),
      answer: fc.option(anyText(mostWords), { freq: 6 }),
      repeatsIds: fc.boolean(),
      key: fc.integer({ min: 0, max: 1_000_000 }),
    })
    .map(({ asked, rounds, note, answer, repeatsIds, key }) => {
      const rows = asked.map(userRow);
      if (note) rows.push(syntheticRow('[continue]'));
      for (const [index, round] of rounds.entries())
        rows.push(...roundRows(round, repeatsIds ? 'call' : `call-${key}-${index}`));
      if (answer !== null) rows.push(answerRow(answer));
      return rows;
    });
}

function roundRows({ args, results, said }: Round, prefix: string): readonly NewRow[] {
  const calls = results.map((_, index) => ({ id: `${prefix}-${index}`, args: JSON.stringify({ args }) }));
  // Results may come in another order than the calls.
  const answers = results.map((text, index) => resultRow(`${prefix}-${index}`, text)).reverse();
  return [callRow(calls, said), ...answers];
}

/** The same turns with pictures: beside what a person said and beside tool results, some of them the same twice. */
export function anyTurnWithImages(mostWords: number): fc.Arbitrary<readonly NewRow[]> {
  return fc
    .record({ turn: anyTurn(mostWords), pictures: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }) })
    .map(({ turn, pictures }) =>
      turn.map((row, index) => (pictures[index % 8] ? withImage(row, index) : row)),
    );
}

function withImage(row: NewRow, index: number): NewRow {
  if (row.kind !== 'person' && row.kind !== 'tool') return row;
  const preview = `photo ${index} ${words(index * 4)}`;
  const image: Part = { type: 'payload', payloadId: `p${index}`, mime: 'image/png', bytes: 50_000, preview };
  const parts = [...row.parts, image];
  return { ...row, parts, tokens: estimateParts(parts) };
}
