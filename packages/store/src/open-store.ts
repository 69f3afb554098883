/** Composes the store from its parts. */
import type { Logger, Store } from '@palimpsest/core';
import { createAccessStore } from './access/create-access-store.ts';
import { createLinkStore } from './access/create-link-store.ts';
import { createCompactionStore } from './compactions/create-compaction-store.ts';
import { type OnStatement, openDatabase } from './database.ts';
import { createDcpStore } from './dcp/create-dcp-store.ts';
import { createEraseStore } from './erase/create-erase-store.ts';
import { createHookStore } from './hooks/create-hook-store.ts';
import { createIntakeStore } from './intake/intake-store.ts';
import { createLcmStore } from './lcm/create-lcm-store.ts';
import { createLeaseStore } from './leases.ts';
import { createLocalChatStore } from './local-chat-store.ts';
import { createMediaStore } from './media/create-media-store.ts';
import { createNoticeStore } from './notice-store.ts';
import { createActionStore } from './operators/create-action-store.ts';
import { createBoardStore } from './operators/create-board-store.ts';
import { createOperatorStore } from './operators/create-operator-store.ts';
import { createOutboxStore } from './outbox/create-outbox-store.ts';
import { createSweepStore } from './sweep/sweep-store.ts';
import { createToolListStore } from './tool-list-store.ts';
import { LiveViews } from './transcript/live-view.ts';
import { createTranscriptStore } from './transcript/transcript-store.ts';
import { createTurnStore } from './turns/turn-store.ts';
import { createUsageStore } from './usage/usage-store.ts';

export interface OpenStoreOptions {
  databaseUrl: string;
  logger: Logger;
  /** Connections at most; by default as many as the machine can keep at work. LISTEN takes one more. */
  poolSize?: number;
  /** Called for each statement before it is sent; what it gives is called with the answer: for benches. */
  onStatement?: OnStatement;
}

/**
 * Open the store; the schema must be there (`migrate`). Connects at once, so that a wrong address is told at the start:
 * throws database_unavailable with what to do.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const db = openDatabase(options);
  const operators = createOperatorStore(db);
  try {
    await operators.ping();
  } catch (thrown) {
    await db.$client.end();
    throw thrown;
  }
  const views = new LiveViews();
  return {
    intake: createIntakeStore(db),
    turns: createTurnStore(db, views),
    transcript: createTranscriptStore(db, views),
    compactions: createCompactionStore(db),
    dcp: createDcpStore(db),
    erase: createEraseStore(db),
    media: createMediaStore(db),
    outbox: createOutboxStore(db),
    leases: createLeaseStore(db),
    sweep: createSweepStore(db),
    operators,
    access: createAccessStore(db),
    links: createLinkStore(db),
    boards: createBoardStore(db),
    actions: createActionStore(db),
    localChat: createLocalChatStore(db),
    toolLists: createToolListStore(db),
    usage: createUsageStore(db),
    lcm: createLcmStore(db),
    hooks: createHookStore(db),
    notices: createNoticeStore(options.databaseUrl, options.logger),
    close: () => db.$client.end(),
  };
}
