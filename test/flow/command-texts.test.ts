/** What people read on commands: whole sentences, no words of the ledger. */
import { expect, test } from 'vitest';
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

  expect(context).toMatch(/^ℹ️ Context: 1 % of 128,000 tokens \([\d,]+, counted by the model\)\.$/);
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
