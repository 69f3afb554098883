/** Messages that are deleted where they were said, as the intake of a platform asks for it. */
import { scriptedSummariser, type ModelScript } from '@palimpsest/testkit';
import { isAnswer } from './talk.ts';
import { pause, type TurnWorld } from './turn-world.ts';

export const phrase = 'My locker opens with heliotrope zanzibar.';
/** Words of it that must be in no table. */
export const nowhere = { texts: ['heliotrope', 'zanzibar'] };

/** Summaries that tell it in other words, so that only what they cover gives them away. */
export function telling(): ModelScript {
  const summariser = scriptedSummariser({ tokenBudget: 300 });
  return async (request) => {
    const answer = await summariser(request);
    const isKnown = JSON.stringify(request.messages).includes('zanzibar');
    return isKnown ? { ...answer, text: `${answer.text}\n- the zanzibar word opens a locker` } : answer;
  };
}

/** Say the phrase and wait for its answer; the id of the message. */
export async function sayPhrase(world: TurnWorld): Promise<string> {
  const before = (await world.heard()).filter(isAnswer).length;
  const messageId = await world.say(phrase);
  await world.hear(before + 1, isAnswer);
  return messageId;
}

/** What the lease holder answers. */
export async function deleted(world: TurnWorld, messageId: string): Promise<string> {
  const sessionId = await world.sessionId();
  const command = { name: 'erase_message', argument: messageId };
  const request = await world.store.operators.request(sessionId, command);
  await world.queue.wake(sessionId);
  for (;;) {
    const { state, answer } = await world.store.operators.requestState(request);
    if (state === 'done') return answer ?? '';
    await pause();
  }
}
