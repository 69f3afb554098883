import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { chaosModel } from '../../apps/evals/src/chaos/script.ts';

/** What the model of a run answers to these texts of a person; its odd requests look nothing up. */
function answerTo(...texts: readonly string[]): unknown {
  const messages = texts.map((text) => ({ role: 'user', text, toolCalls: [], toolResults: [] }));
  return chaosModel().script({ tools: ['session_search'], index: 1, messages } as unknown as ScriptRequest);
}

test('the model of a run answers what people wrote, and nothing that a summary tells of it', () => {
  const compressed = '[CONTEXT COMPACTION]\nThey asked q1 and q2.\n[END OF CONTEXT COMPACTION]';
  const lossless = '<summary id="sum_1" kind="leaf"><content>q3 was answered</content></summary>';

  expect(answerTo(compressed, lossless, 'q4 when does the ferry leave?', 'q5 and back?')).toMatchObject({
    text: 'answer to q4 q5 (a1)',
  });
});

test('it fails as often as it is told to, and says when to come again', () => {
  const model = chaosModel();
  const request = {
    tools: ['t'],
    index: 1,
    messages: [{ role: 'user', text: 'q1', toolCalls: [], toolResults: [] }],
  };
  model.failNext('overloaded', 2);

  const answers = [1, 2, 3].map(() => model.script(request as unknown as ScriptRequest));

  expect(answers).toMatchObject([
    { fault: 'overloaded', retryAfterMs: 300 },
    { fault: 'overloaded', retryAfterMs: 300 },
    { text: 'answer to q1 (a1)' },
  ]);
});
