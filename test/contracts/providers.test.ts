import { systemClock } from '@palimpsest/core';
import type { Clock, ModelEvent, PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';

import {
  asMessage,
  events,
  hurried,
  inTurn,
  outline,
  request,
  resultsFor,
  saidIn,
  sides,
  text,
  user,
  worldOf,
} from '../support/model-world.ts';

for (const side of sides) {
  // Codex answers `Unsupported parameter: max_output_tokens`, so nothing there limits an answer.
  const limited = test.skipIf(side.takesLimit === false);

  test(`${side.name}: text streams and the real figures come last`, async () => {
    await using world = await worldOf(side, () => ({
      text: 'Grüße 🎉 and more words than one chunk of forty holds',
      splitBytes: 3,
    }));

    const seen = await events(world.client, request([user('hi')]));

    expect(saidIn(seen)).toBe('Grüße 🎉 and more words than one chunk of forty holds');
    expect(outline(seen)).toEqual(['text', 'done']);
    const usage = world.server.usage[0];
    expect(seen.at(-1)).toMatchObject({
      type: 'done',
      stop: 'end',
      usage: { promptTokens: usage?.promptTokens, outputTokens: usage?.outputTokens },
    });
    expect(world.server.violations).toEqual([]);
  });

  test(`${side.name}: a tool loop with parallel calls is accepted round after round`, async () => {
    const calls = [
      { name: 'look', arguments: { at: 'a "quoted" thing' } },
      { name: 'look', arguments: { at: 'ß' } },
    ];
    await using world = await worldOf(
      side,
      inTurn({ text: 'Looking.', toolCalls: calls, chunkSize: 3 }, { toolCalls: calls }, { text: 'Done.' }),
    );
    const messages: PromptMessage[] = [
      { role: 'user', parts: [{ type: 'header', text: '[12:00] Ada:' }, text('look twice')] },
    ];

    const outlines: string[][] = [];
    for (let round = 0; round < 3; round++) {
      const seen = await events(world.client, request(messages));
      outlines.push(outline(seen));
      const answer = asMessage(seen);
      messages.push(answer, ...resultsFor(answer));
    }
    messages.push(user('thanks'));
    outlines.push(outline(await events(world.client, request(messages))));

    expect(outlines).toEqual([
      ['text', 'tool_call', 'tool_call', 'done'],
      ['tool_call', 'tool_call', 'done'],
      ['text', 'done'],
      ['text', 'done'],
    ]);
    const stored = messages[1]?.parts.filter((part) => part.type !== 'sidecar');
    expect(
      stored?.map((part) => (part.type === 'tool_call' ? JSON.parse(part.arguments) : part.type)),
    ).toEqual(['text', { at: 'a "quoted" thing' }, { at: 'ß' }]);
    expect(world.server.violations).toEqual([]);
  });

  limited(`${side.name}: an answer that reaches its limit says so`, async () => {
    await using world = await worldOf(side, () => ({ text: 'word '.repeat(400) }));

    expect((await events(world.client, request([user('hi')], { maxTokens: 20 }))).at(-1)).toMatchObject({
      type: 'done',
      stop: 'max_tokens',
    });
  });

  test(`${side.name}: a refusal says so`, async () => {
    await using world = await worldOf(side, () => ({ text: 'no', stop: 'refusal' }));

    expect((await events(world.client, request([user('hi')]))).at(-1)).toMatchObject({
      type: 'done',
      stop: 'refusal',
    });
  });

  test(`${side.name}: a passing failure is waited out in sight`, async () => {
    await using world = await worldOf(
      side,
      inTurn(
        { fault: 'overloaded' },
        { fault: 'rate_limit', retryAfterMs: 1500 },
        { fault: 'server_error' },
        { text: 'there' },
      ),
    );

    const seen = await events(world.client, request([user('hi')]));

    expect(outline(seen)).toEqual(['retrying', 'retrying', 'retrying', 'text', 'done']);
    expect(seen.slice(0, 3)).toMatchObject([
      { attempt: 1, waitMs: 438, failure: { kind: 'overloaded', status: side.overloadedStatus } },
      { attempt: 2, waitMs: 1500, failure: { kind: 'rate_limited', status: 429, retryAfterMs: 1500 } },
      { attempt: 3, waitMs: 1750, failure: { kind: 'server_error', status: 500 } },
    ]);
    expect(world.server.requests).toHaveLength(4);
  });

  test(`${side.name}: a long wait is told, not slept`, async () => {
    await using world = await worldOf(side, () => ({ fault: 'rate_limit', retryAfterMs: 3_600_000 }));

    expect(await events(world.client, request([user('hi')]))).toMatchObject([
      { type: 'failed', failure: { kind: 'rate_limited', retryAfterMs: 3_600_000 } },
    ]);
  });

  const final: readonly (readonly [
    'auth' | 'permission' | 'insufficient_quota' | 'too_large' | 'bad_request',
    string,
  ])[] = [
    ['auth', 'auth'],
    ['permission', namesCodes(side.name) ? 'model_not_found' : 'auth'],
    ['insufficient_quota', 'quota'],
    ['too_large', 'overflow'],
    ['bad_request', 'bad_request'],
  ];
  for (const [fault, kind] of final) {
    test(`${side.name}: ${fault} is ${kind} and not tried again`, async () => {
      await using world = await worldOf(side, () => ({ fault }));

      expect(outline(await events(world.client, request([user('hi')])))).toEqual([`failed ${kind}`]);
      expect(world.server.requests).toHaveLength(1);
    });
  }

  test(`${side.name}: a prompt over the window is an overflow that names the window where the server does`, async () => {
    const named = side.namesWindow === false ? {} : { reportedWindowTokens: 2000 };
    await using world = await worldOf(side, () => ({ text: 'ok' }), { fake: { window: 2000 } });

    const seen = await events(world.client, request([user('letters '.repeat(3000))]));

    expect(seen).toMatchObject([
      { type: 'failed', failure: { kind: 'overflow', retryable: false, ...named } },
    ]);
    expect(world.server.requests[0]?.promptTokens).toBeGreaterThan(2000);
  });

  limited(`${side.name}: an answer that does not fit beside the prompt is an overflow too`, async () => {
    await using world = await worldOf(side, () => ({ text: 'ok' }), { fake: { window: 2000 } });

    expect(
      outline(await events(world.client, request([user('letters '.repeat(500))], { maxTokens: 1900 }))),
    ).toEqual(['failed overflow']);
  });

  test(`${side.name}: a stream that breaks after words is a cut stream and is not repeated`, async () => {
    await using world = await worldOf(side, () => ({ fault: 'cut_stream', text: 'half of it' }));

    const seen = await events(world.client, request([user('hi')]));

    expect([saidIn(seen), outline(seen)]).toEqual(['half of it', ['text', 'failed stream_cut']]);
  });

  test(`${side.name}: an error event in the middle ends the answer`, async () => {
    await using world = await worldOf(side, () => ({ fault: 'mid_stream_error', text: 'half' }));

    const last = (await events(world.client, request([user('hi')]))).at(-1);

    expect(last).toMatchObject({ type: 'failed', failure: { retryable: true } });
  });

  for (const fault of ['reset', 'html', 'blank_body', 'cut_body', 'timeout'] as const) {
    test(`${side.name}: after ${fault} it is tried again`, async () => {
      await using world = await worldOf(side, inTurn({ fault }, { text: 'there' }));

      expect(outline(await events(world.client, request([user('hi')])))).toEqual([
        'retrying',
        'text',
        'done',
      ]);
    });
  }

  for (const fault of ['silent', 'stall'] as const) {
    test(`${side.name}: ${fault} ends as a timeout`, async () => {
      await using world = await worldOf(side, () => ({ fault, text: 'half' }), {
        idleMs: 40,
        clock: patientOnce(),
      });

      const seen = await events(world.client, request([user('hi')]));

      expect(seen.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } });
    });
  }

  test(`${side.name}: an abort in the middle ends with aborted and closes the connection`, async () => {
    await using world = await worldOf(side, () => ({ text: 'word '.repeat(100), chunkDelayMs: 20 }));
    const stop = new AbortController();

    const seen: ModelEvent[] = [];
    for await (const event of world.client.stream(request([user('hi')]), stop.signal)) {
      seen.push(event);
      stop.abort();
    }

    expect(outline(seen)).toEqual(['text', 'failed aborted']);
    await expect.poll(() => world.server.requests[0]?.aborted).toBe(true);
  });

  test(`${side.name}: an abort before the first byte ends with aborted`, async () => {
    const asked = Promise.withResolvers<void>();
    await using world = await worldOf(side, () => {
      asked.resolve();
      return { fault: 'silent' };
    });
    const stop = new AbortController();

    const answer = events(world.client, request([user('hi')]), stop.signal);
    await asked.promise;
    stop.abort();

    expect(outline(await answer)).toEqual(['failed aborted']);
  });

  limited(`${side.name}: the limit on the wire is the caller's`, async () => {
    await using world = await worldOf(side, ({ maxTokens }) => ({ text: `limit ${maxTokens}` }));

    expect(saidIn(await events(world.client, request([user('hi')], { maxTokens: 777 })))).toBe('limit 777');
  });
}

/** Anthropic says it with the status, OpenRouter's envelope has no code of its own. */
function namesCodes(side: string): boolean {
  return side !== 'anthropic' && side !== 'openrouter';
}

/** Time passes only for the first idle limit, so that a retry is not seen as silence of its own. */
function patientOnce(): Clock {
  return {
    ...hurried,
    sleep: (ms, signal) => (ms === 40 ? systemClock.sleep(ms, signal) : Promise.resolve()),
  };
}
