import type { Summariser, SummaryAnswer, SummaryRequest } from '@palimpsest/core';

/** The same summariser; `hear` is waited for with each answer, whatever becomes of its text. */
export function overhearSummaries(
  summariser: Summariser,
  hear: (answer: SummaryAnswer, request: SummaryRequest) => Promise<void> | void,
): Summariser {
  return {
    get model() {
      return summariser.model;
    },
    get provider() {
      return summariser.provider;
    },
    get windowTokens() {
      return summariser.windowTokens;
    },
    get pricePerMillion() {
      return summariser.pricePerMillion;
    },
    async summarise(request, signal) {
      const answer = await summariser.summarise(request, signal);
      await hear(answer, request);
      return answer;
    },
  };
}
