import type { ModelClient } from '@palimpsest/core';

/** A model that answers at once, in this process: what is left is the way of the message itself. */
export const instantModel: ModelClient = {
  info: {
    provider: 'bench',
    name: 'instant',
    label: 'bench/instant',
    windowTokens: 128_000,
    windowSource: 'config',
    maxOutputTokens: 8_000,
    issuer: 'bench',
    caching: null,
  },
  async *stream() {
    yield { type: 'text', text: 'Noted, and answered at once.', block: 0 };
    yield { type: 'done', stop: 'end', usage: null };
  },
};
