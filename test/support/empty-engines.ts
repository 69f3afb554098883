/** Stores of both other engines that hold nothing. */
import { emptyDcpState, type LcmState, type LcmStatus } from '@palimpsest/core';
import type { PagesDeps } from '@palimpsest/dashboard';

const state: LcmState = {
  items: [],
  boundarySeq: 0,
  telemetry: [],
  debt: null,
  breakers: [],
  spend: null,
  now: new Date(0),
};

const status: LcmStatus = {
  liveMessages: 0,
  liveMessageTokens: 0,
  coveredMessages: 0,
  items: 0,
  itemTokens: 0,
  summariesByDepth: [],
  summaryTokens: 0,
  maxDepth: 0,
  files: 0,
  fileBytes: 0,
  boundarySeq: 0,
  debt: null,
  recent: [],
};

export const emptyEngines: Pick<PagesDeps, 'dcp' | 'lcm'> = {
  dcp: {
    load: async () => emptyDcpState(),
    blocks: async () => [],
    events: async () => [],
    savings: async () => ({
      activeBlocks: 0,
      allBlocks: 0,
      removedTokens: 0,
      summaryTokens: 0,
      netTokens: 0,
      markTokens: 0,
    }),
  },
  lcm: {
    load: async () => state,
    status: async () => status,
    summaries: async () => [],
    heads: async () => [],
    rowsUnder: async () => new Map(),
    messageCounts: async () => new Map(),
    doctor: async () => [],
    describe: async () => null,
    sourcesOf: async () => null,
    messagesOf: async () => null,
    exportGraph: async (sessionId) => ({ sessionId, boundarySeq: 0, summaries: [], items: [] }),
    draw: async () => ({ nodes: [], leaves: 0, live: null }),
    writtenBy: async () => [],
  },
};
