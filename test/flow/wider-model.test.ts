/** Where no room can be made for a prompt that the model refuses, a fallback model with a larger window takes it. */
import type { ModelClient, ModelEvent, ModelRequest } from '@palimpsest/core';
import { noUsage, systemClock } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { withFallback } from '../../packages/providers/src/fallback/with-fallback.ts';
import { openTurnWorld } from '../support/turn-world.ts';

/** Refuses every prompt as too long, or answers with its name. */
function model(name: string, windowTokens: number, refuses: boolean) {
  const asked: ModelRequest[] = [];
  const client: ModelClient = {
    info: {
      provider: 'test',
      name,
      label: `test/${name}`,
      windowTokens,
      windowSource: 'config',
      maxOutputTokens: 500,
      issuer: name,
      caching: null,
    },
    async *stream(request): AsyncGenerator<ModelEvent> {
      asked.push(request);
      if (refuses)
        return yield {
          type: 'failed',
          failure: { kind: 'overflow', retryable: false, message: 'the prompt is too long' },
        };
      yield { type: 'text', text: `answer of ${name}`, block: 0 };
      yield { type: 'done', stop: 'end', usage: noUsage };
    },
  };
  return { client, asked };
}

const quiet = () => ({ text: 'nobody asks this one' });
const config = 'context: { engine: dcp }';

test('the wider model answers once nothing more can be taken out, and the person is told why', async () => {
  const narrow = model('narrow', 16_000, true);
  const wide = model('wide', 64_000, false);
  const client = withFallback(narrow.client, [wide.client], systemClock);
  await using world = await openTurnWorld({ script: quiet, client, config });

  // More tokens than the narrow window has.
  await world.say(`what stands in this report? ${'the harbour was quiet today. '.repeat(4_000)}`);
  const heard = await world.hear(2);

  expect(heard.sort()).toEqual([
    'answer of wide',
    expect.stringMatching(
      /test\/narrow does not answer \(the conversation no longer fits it, even after condensing\); test\/wide answers instead/,
    ),
  ]);
  // One message stands there: nothing can be taken out, so the refused prompt is not sent to the same model again.
  expect(narrow.asked).toHaveLength(1);
  expect(wide.asked.map((request) => request.maxTokens)).toEqual([500]);
});

test('without a wider model the person is told plainly, and the refused prompt is not sent again', async () => {
  const narrow = model('narrow', 16_000, true);
  await using world = await openTurnWorld({ script: quiet, client: narrow.client, config });

  await world.say('what stands in the long report?');
  const [told] = await world.hear(1);

  expect(told).toContain('This conversation no longer fits the model, even after condensing it.');
  expect(narrow.asked).toHaveLength(1);
});
