/** /usage, /context, /queue and /help through the whole main path. */
import { expect, test } from 'vitest';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const calm = 'compression: {background: false, small_context_floor: null}';

test('/usage tells tokens and cost of the last answer, of the conversation and of the day', async () => {
  await using world = await openTurnWorld({ script: answering() });

  expect(await ask(world, '/usage')).toBe(
    'ℹ️ No model was asked in this conversation yet.\nYou today: $0.000 (UTC).',
  );
  await talk(world, 2);
  const [last, all, today] = (await ask(world, '/usage')).split('\n');

  expect(last).toMatch(
    /^ℹ️ Last answer: 1 model call, [\d,]+ tokens read \(\d+ % from the cache\), [\d,]+ written, \$0\.\d{3}\.$/,
  );
  expect(all).toMatch(
    /^This conversation: 2 model calls, [\d,]+ tokens read \(\d+ % from the cache\), [\d,]+ written, \$0\.\d{3}\.$/,
  );
  expect(today).toMatch(/^You today: \$0\.\d{3} \(UTC\)\.$/);
});

test('/usage names the budget of the day where there is one', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    config: 'model: {daily_budget: {person_dollars: 2}}',
  });
  await talk(world, 1);

  expect(await ask(world, '/usage')).toMatch(/You today: \$0\.\d{3} of \$2\.00 \(UTC\)\.$/);
});

test('/context tells what fills the window, and its parts add up to the estimate', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000, config: calm });
  await talk(world, 24);
  await ask(world, '/compress');
  await talk(world, 10);

  const lines = (await ask(world, '/context')).split('\n');

  expect(lines[0]).toMatch(
    /^ℹ️ Context: [\d,]+ of 32,000 tokens, \d+ % \(counted by the model as of the last answer, .+\)\.$/,
  );
  expect(lines[1]).toBe('By part, estimated:');
  expect(
    lines.slice(2, -1).map((line) => line.replace(/: [\d,]+ \(\d+ %\)$/, '').replaceAll(/\d+/g, 'N')),
  ).toEqual([
    '• System prompt',
    '• N tools',
    '• Beginning, N messages',
    '• Summaries',
    '• Middle, N messages, condensed next',
    '• Tail, N messages, kept word for word',
  ]);
  const figure = (line: string): number =>
    Number(/([\d,]+)(?: \(\d+ %\))?\.?$/.exec(line)![1]!.replaceAll(',', ''));
  const whole = Number(/Context: ([\d,]+)/.exec(lines[0]!)![1]!.replaceAll(',', ''));
  const sum = lines.slice(2, -1).reduce((tokens, line) => tokens + figure(line), 0);
  expect(Math.abs(sum - whole) / whole).toBeLessThan(0.15);
  expect(lines.at(-1)).toMatch(/^Kept free for the answer: [\d,]+\.$/);
});

test.each(['lcm', 'dcp'])('/context works under %s too', async (engine) => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 16_000,
    config: `context: {engine: ${engine}}\n${calm}`,
  });
  await talk(world, 16);

  const lines = (await ask(world, '/context')).split('\n');

  expect(lines[0]).toMatch(/^ℹ️ Context: [\d,]+ of 16,000 tokens/);
  expect(lines.some((line) => /messages/.test(line))).toBe(true);
});

test('/queue is answered while a turn runs, ahead of everything that waits, and quotes nothing', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await using world = await openTurnWorld({
    script: async () => {
      await held;
      return { text: 'Noted.' };
    },
  });
  const isQueue = (text: string): boolean => /Nothing waits|waits?, the oldest/.test(text);
  expect(await ask(world, '/queue')).toMatch(/^ℹ️ Nothing is running\. Nothing waits\. While I write/);
  await world.say('first');
  while (world.model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await world.say('my key is hunter2');
  await world.say('and more');
  await world.say('/undo');

  await world.say('/queue');
  const [, told] = await world.hear(2, isQueue);
  release();

  expect(told).toMatch(
    /^ℹ️ An answer is being written; \/stop ends it\. 2 messages and \/undo wait, the oldest for \d+ seconds?\. While I write, what you send meanwhile is answered together, right after \(collect, as the service is set\)\.$/,
  );
  await world.hear(1, (text) => text.includes('Taken back'));
});

test('/help names the commands one may use, and a command for operators is refused to others in plain words', async () => {
  const config = 'commands: {admin_only: [model, engine]}';
  await using world = await openTurnWorld({ script: answering(), config });

  const help = await ask(world, '/help');

  // The local chat is the operator's own.
  expect(help).toContain('/model – ');
  for (const name of ['undo', 'retry', 'title', 'sessions', 'resume', 'usage', 'context', 'queue'])
    expect(help).toContain(`/${name} – `);
});
