/** What the engines tell people, in the languages they know. */
import { expect, test } from 'vitest';
import { sayIn, vocabularies } from '../../packages/engines/src/words/say.ts';
import { DcpWorld } from '../support/dcp-world.ts';
import { words } from '../support/memory-transcript.ts';

const { en: english, ...others } = vocabularies;
const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();

test.each(Object.keys(others))('%s has every text, with the same things to fill in', (code) => {
  const texts = others[code]!;

  expect(Object.keys(texts)).toEqual(Object.keys(english!));
  for (const [key, original] of Object.entries(english!)) {
    const text = texts[key as keyof typeof texts];
    expect(text.trim(), key).not.toBe('');
    expect(names(text), key).toEqual(names(original));
  }
  expect(texts.language).toBe(code);
});

test('plurals and numbers are those of the language', () => {
  const counted = (language: string) => [1, 2, 5].map((count) => sayIn(language).counted(count, 'summary'));

  expect(counted('ru')).toEqual(['1 сводка', '2 сводки', '5 сводок']);
  expect(counted('de-AT')).toEqual(['1 Zusammenfassung', '2 Zusammenfassungen', '5 Zusammenfassungen']);
  expect(counted('tlh')).toEqual(['1 summary', '2 summaries', '5 summaries']);
});

test('/dcp answers in German', async () => {
  const world = new DcpWorld({});
  world.say('look into the parser');
  world.step([{ id: 'a', args: '{"n":1}', result: words(2_000) }]);
  world.say('now the rest');
  for (const id of ['c', 'd', 'e', 'f']) world.step([{ id, args: `{"n":"${id}"}`, result: words(60) }]);
  await world.prompt();
  await world.range({ startId: 'm0001', endId: 'm0002', summary: 'The parser is fine.' });
  const ask = (argument: string) => world.command(argument, 'de');

  expect((await ask('help')).split('\n').at(-1)).toBe('Es verdichtet Abgeschlossenes von selbst.');
  expect((await ask('decompress')).split('\n')).toEqual([
    'Gerade verdichtet; /dcp decompress mit einer Zahl zeigt es ganz:',
    expect.stringMatching(/^b1 – earlier work \(m0001 bis m0002, etwa 2\.\d{3} Token\)$/),
  ]);
  expect(await ask('decompress 1')).toMatch(
    /^Wieder ganz gezeigt: b1, etwa [12]\.\d{3} Token mehr\. \/dcp recompress 1 nimmt das zurück\.$/,
  );
  expect(await ask('decompress 1')).toBe('b1 wird schon ganz gezeigt.');
  expect(await ask('recompress 1')).toBe('Wieder verdichtet: b1.');
  expect(await ask('sweep 2')).toMatch(
    /^Geleert: 1 Werkzeugausgabe, etwa \d+ Token\. Unberührt: 1 geschützt\.$/,
  );
  expect((await ask('stats')).split('\n')[0]).toBe(
    'Verdichtet: 2 Nachrichten; insgesamt 1 Block, davon 1 in Kraft.',
  );
  expect(await ask('manual on')).toBe(
    'Der Handbetrieb ist an: Das Modell verdichtet nur nach /dcp compress.',
  );
  expect(world.engine.getStatus(world.budget, 'de').lines.slice(1)).toEqual([
    expect.stringMatching(/^Für Früheres stehen: 1 Block; etwa [12]\.\d{3} Token sind gespart\.$/),
    'Handbetrieb: Es verdichtet nur auf /dcp compress hin.',
  ]);
});
