import type { ErasedCounts, EraseStore, Meter } from '@palimpsest/core';

/** What can be erased, as the label of its counters says it. */
type Scope = 'message' | 'session' | 'person';

/** Erasures are counted, whoever asks for one: how many, how they end, and how many messages went. All else goes through. */
export function measuredErase(erase: EraseStore, meter: Meter): EraseStore {
  const counted = async (scope: Scope, erasing: Promise<ErasedCounts>): Promise<ErasedCounts> => {
    try {
      const counts = await erasing;
      meter.count('gateway_erasures_total', { scope, outcome: isEmpty(counts) ? 'nothing' : 'done' });
      if (counts.messages > 0) meter.count('gateway_erased_messages_total', { scope }, counts.messages);
      return counts;
    } catch (thrown) {
      meter.count('gateway_erasures_total', { scope, outcome: 'failed' });
      throw thrown;
    }
  };
  return {
    ...erase,
    message: (...asked) => counted('message', erase.message(...asked)),
    session: (...asked) => counted('session', erase.session(...asked)),
    person: (...asked) => counted('person', erase.person(...asked)),
  };
}

function isEmpty({ messages, quotes, summaries, payloads }: ErasedCounts): boolean {
  return messages + quotes + summaries + payloads === 0;
}
