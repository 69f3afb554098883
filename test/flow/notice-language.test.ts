/** Errors and notices on their whole way: in the person's language, in plain words, and not again and again. */
import { expect, test } from 'vitest';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { answering, ask as askFor, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

test('a failure is told in the language of the chat, once in a cool-down, and every message is kept', async () => {
  let isDown = false;
  await using world = await openTurnWorld({
    script: () => (isDown ? { fault: 'auth' } : { text: 'Hello.' }),
  });
  const query = (text: string) =>
    withClient(
      world.databaseUrl,
      async (client) => (await client.query(text)).rows as Record<string, unknown>[],
    );
  const failed = (count: number) =>
    until(async () => (await query(`SELECT 1 FROM turns WHERE state = 'failed'`)).length === count);
  const notices = async () => (await world.heard()).filter((text) => text.startsWith('ℹ️'));
  await world.say('hi');
  await world.hear(1);
  await query(`UPDATE chats SET language = 'de-AT'`);
  isDown = true;

  await world.say('and now?');
  await failed(1);
  await world.say('hello?');
  await failed(2);
  await query(`UPDATE outbox SET created_at = now() - interval '61 seconds'`);
  await world.say('anybody?');
  await failed(3);
  await until(async () => (await notices()).length === 2);

  const told =
    /^ℹ️ Das Modell lässt sich so, wie es eingerichtet ist, nicht benutzen\..* Deine Nachricht bleibt erhalten\. \(\w{8}\)$/;
  expect(await notices()).toEqual([expect.stringMatching(told), expect.stringMatching(told)]);
  const people = (await world.rows()).filter(({ kind }) => kind === 'person');
  expect(people).toHaveLength(4);
});

test('commands answer in the language of the chat, with its numbers, times and plurals', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'Noted.' }) });
  const ask = async (text: string): Promise<string> => {
    const before = (await world.heard()).length;
    await world.say(text);
    return (await world.hear(before + 1)).at(-1)!;
  };
  const speak = (language: string) =>
    withClient(
      world.databaseUrl,
      async (client) => void (await client.query('UPDATE chats SET language = $1', [language])),
    );
  await ask('hello');

  const answers: Record<string, string[]> = {};
  for (const language of ['de', 'ru', 'fr', 'es', 'pt-BR', 'nl']) {
    await speak(language);
    answers[language] = [
      await ask('/queue'),
      await ask('/sessions'),
      (await ask('/help')).split('\n').at(-1)!,
    ];
  }

  expect(answers['de']).toEqual([
    'ℹ️ Es läuft gerade nichts. Nichts wartet. Während ich schreibe, wird das, was du inzwischen sendest, gleich danach zusammen beantwortet (collect, wie der Dienst eingestellt ist).',
    expect.stringMatching(/^ℹ️ 1\. hello \(2 Nachrichten, dieses, [\da-f]{8}\)$/),
    '/help – diese Liste',
  ]);
  await speak('de');
  expect(await ask('/title Fähre')).toBe('ℹ️ Dieses Gespräch heißt ab jetzt „Fähre“.');
  expect(await ask('/whoami')).toMatch(/^ℹ️ Du bist local auf local, .*, Chat test \(direkt\)\./);
  expect((await ask('/status')).split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(
      /^ℹ️ Kontext: \d+ % von 128\.000 Token \([\d.]+, vom Modell bei der letzten Antwort gezählt, .+\)\.$/,
    ),
    'Noch nicht verdichtet.',
  ]);
  expect((await ask('/usage')).split('\n')[0]).toMatch(
    /^ℹ️ Letzte Antwort: 1 Modellaufruf, [\d.]+ Token gelesen \(\d+ % aus dem Cache\), \d+ geschrieben/,
  );
  expect((await ask('/context')).split('\n').at(-1)).toMatch(/^Frei für die Antwort: [\d.]+\.$/);
  expect(answers['ru']![1]).toMatch(/\(2 сообщения, этот, /);
  expect(answers['fr']![1]).toMatch(/\(2 messages, celle-ci, /);
  expect(answers['es']![2]).toBe('/help – esta lista');
  expect(answers['pt-BR']![1]).toMatch(/\(2 mensagens, esta, /);
  // None of ours: English.
  expect(answers['nl']![1]).toMatch(/\(2 messages, this one, /);
});

test('models and the preview of a compaction are told in the language of the chat, prices and sizes too', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 32_000,
    config: 'model: {choices: [claude-opus-5], ask_provider: false}\n',
  });
  await talk(world, 16);
  await withClient(
    world.databaseUrl,
    async (client) => void (await client.query(`UPDATE chats SET language = 'de'`)),
  );
  const ask = async (text: string) =>
    (await askFor(world, text)).replaceAll(/[\u00A0\u202F]/g, ' ').split('\n');

  expect(await ask('/model')).toEqual([
    'ℹ️ anthropic/claude-sonnet-5: 32.000 Token, 2 $ je Million gelesener und 10 $ je Million geschriebener Token (Standard, antwortet hier)',
    'anthropic/claude-opus-5: 1.000.000 Token, 5 $ je Million gelesener und 25 $ je Million geschriebener Token',
    '/model NAME nimmt eines davon für dieses Gespräch, /model default das übliche.',
  ]);
  expect(await ask('/model gpt-5.5')).toEqual([
    'ℹ️ Der Betreiber erlaubt: claude-opus-5. Nichts ist geändert; /model zeigt, was es gibt.',
  ]);
  expect(await ask('/compress --preview')).toEqual([
    expect.stringMatching(
      /^ℹ️ Vorschau, nichts ist geändert: 32 → \d+ Nachrichten, etwa [\d.]+ → [\d.]+ Token\.$/,
    ),
    expect.stringMatching(/^Die Nachrichten [\d–, ]+ stünden dann in der Zusammenfassung\.$/),
    expect.stringMatching(
      /^Das Modell für Zusammenfassungen, .+, läse etwa [\d.]+ Token \(1 Aufruf\) und schriebe höchstens [\d.]+\.$/,
    ),
    expect.stringMatching(
      /^Preis: unbekannt für die Zusammenfassung, 0,\d{3} \$ für [\d.]+ neu gelesene Token\.$/,
    ),
  ]);
  expect(await ask('/model claude-opus-5')).toEqual([
    'ℹ️ Von der nächsten Nachricht an antwortet hier anthropic/claude-opus-5: 1.000.000 Token, 5 $ je Million gelesener und 25 $ je Million geschriebener Token. /model default geht zurück.',
    expect.stringMatching(
      /^Seine erste Antwort liest das ganze Gespräch neu zum vollen Preis: etwa [\d.]+ Token, 0,\d{3} \$\. Zurückzugehen kostet das noch einmal\.$/,
    ),
  ]);
});

test('an engine tells its state and answers its own commands in the language of the chat', async () => {
  await using world = await openTurnWorld({ script: answering(), config: 'context: {engine: lcm}\n' });
  await talk(world, 1);
  await withClient(
    world.databaseUrl,
    async (client) => void (await client.query(`UPDATE chats SET language = 'de'`)),
  );

  const [help, status, own] = [
    await askFor(world, '/help'),
    await askFor(world, '/status'),
    await askFor(world, '/lcm'),
  ].map((text) => text.split('\n'));

  expect(help!.at(-1)).toBe(
    '/lcm – Zustand und Reparatur der Zusammenfassungen dieses Chats: status, doctor, doctor apply, help',
  );
  expect(status).toContainEqual('Im Kontext: 0 Zusammenfassungen.');
  expect(own).toEqual([
    expect.stringMatching(/^ℹ️ 2 Nachrichten Wort für Wort \(\d+ Token\), 0 unter Zusammenfassungen\.$/),
    'Im Kontext: 0 Zusammenfassungen (0 Token); insgesamt: keine.',
    expect.stringMatching(
      /^Etwa [\d.]+ von 128\.000 Token; ältere Nachrichten werden über [\d.]+ zusammengefasst\.$/,
    ),
    'Es ist nichts nachzuholen.',
    'Das Modell für Zusammenfassungen ist frei.',
    expect.stringMatching(/^Prompt-Cache: (warm|kalt|unbekannt)\. Gespeicherte Dateien: 0\.$/),
  ]);
});
