/** What people read on commands: whole sentences, no words of the ledger. */
import { expect, test } from 'vitest';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

test('/help tells /new from /reset', async () => {
  await using world = await openTurnWorld({ script: answering() });

  const lines = (await ask(world, '/help')).split('\n');

  expect(lines.slice(0, 3)).toEqual([
    'ℹ️ /new – go on with this conversation in a fresh chapter; older lines are set aside for the model and stay searchable',
    '/reset – end this session and begin another one with a new id; its lines stay searchable',
    '/stop – stop the answer being written',
  ]);
});

test('/status is whole sentences with figures people can read', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 128_000 });
  await talk(world, 1);

  const [context, ...others] = (await ask(world, '/status')).split('\n');

  expect(context).toMatch(
    /^ℹ️ Context: 1 % of 128,000 tokens \([\d,]+, counted by the model as of the last answer, (now|\d+ seconds? ago)\)\.$/,
  );
  expect(others).toEqual([
    'Not condensed yet.',
    'Model: anthropic/claude-sonnet-5. Engine: compressor.',
    'Prompt caching is on: Claude via Anthropic, 5m TTL.',
    'Nothing is running.',
    'Older turns are condensed at 96,000 of 128,000 tokens.',
    'The summary is prepared from 76,800 tokens on.',
    expect.stringMatching(
      /^Cost so far: \$0\.\d{3} in 1 model call; 0 % of what was read came from the cache\.$/,
    ),
  ]);
});

test.each([
  ['en', 'counted by the model as of the last answer, 3 minutes ago'],
  ['de', 'vom Modell bei der letzten Antwort gezählt, vor 3 Minuten'],
  ['fr', 'compté par le modèle à la dernière réponse, il y a 3 minutes'],
  ['es', 'contado por el modelo en la última respuesta, hace 3 minutos'],
  ['pt', 'contado pelo modelo na última resposta, há 3 minutos'],
  ['ru', 'посчитано моделью при последнем ответе, 3 минуты назад'],
])('/status and /context tell how old the figure of the context is, in %s', async (language, source) => {
  await using world = await openTurnWorld({ script: answering() });
  await talk(world, 1);
  await withClient(world.databaseUrl, async (client) => {
    await client.query('UPDATE chats SET language = $1', [language]);
    await client.query(`UPDATE messages SET sent_at = sent_at - interval '3 minutes 5 seconds'`);
  });

  const [status, context] = [await ask(world, '/status'), await ask(world, '/context')].map((text) =>
    text.split('\n')[0]!.replaceAll(/[\u00A0\u202F]/g, ' '),
  );

  expect(status).toContain(`, ${source}).`);
  expect(context).toContain(`(${source}).`);
});

test('/compress and its preview say in words why nothing changes', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 128_000 });
  await talk(world, 2);

  expect(await ask(world, '/compress')).toBe(
    'ℹ️ Nothing to condense yet: everything that stands in the conversation is recent, or a summary already. The conversation is as it was.',
  );
  expect(await ask(world, '/compress --preview')).toBe(
    'ℹ️ Preview: nothing would change. Nothing to condense yet: everything that stands in the conversation is recent, or a summary already.',
  );
});
