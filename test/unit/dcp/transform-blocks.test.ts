import { expect, test } from 'vitest';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';
import { words } from '../../support/memory-transcript.ts';

test('a compressed range gives way to one message in its place, from the next request on', async () => {
  const world = new DcpWorld();
  world.say('look into the parser');
  world.step([{ id: 'a', name: 'read', args: '{"path":"parser.ts"}', result: words(2_000) }]);
  world.answer('The parser drops the last token.');
  world.say('now the printer');
  for (const id of ['b', 'c', 'd', 'e']) world.step([{ id, result: 'ok' }]);
  await world.prompt();

  const result = await world.range({
    startId: 'm0001',
    endId: 'm0003',
    summary: 'The parser drops the last token.',
  });
  const prompt = await world.prompt();

  expect(result).toMatchObject({ ok: true });
  expect(linesOf(prompt).slice(0, 2)).toEqual([
    'user: [Record of earlier messages, condensed: earlier work]\nThe parser drops the last token.\n[b1]',
    'user: now the printer\n[m0004]',
  ]);
  expect(linesOf(prompt).join('\n')).not.toContain('river stone');
});
