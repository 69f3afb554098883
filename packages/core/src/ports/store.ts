import type { ActionStore } from './action-store.ts';
import type { BoardStore } from './board-store.ts';
import type { AccessStore } from './access-store.ts';
import type { CompactionStore } from './compaction-store.ts';
import type { DcpStore } from './dcp-store.ts';
import type { EraseStore } from './erase-store.ts';
import type { HookStore } from './hook-store.ts';
import type { IntakeStore } from './intake-store.ts';
import type { LcmStore } from './lcm-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { LinkStore } from './link-store.ts';
import type { LocalChatStore } from './local-chat-store.ts';
import type { NoticeStore, OperatorStore } from './operator-store.ts';
import type { MediaStore } from './media-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { SweepStore } from './sweep-store.ts';
import type { ToolListStore } from './tool-servers.ts';
import type { TranscriptStore } from './transcript-store.ts';
import type { TurnStore } from './turn-store.ts';
import type { UsageStore } from './usage-store.ts';

/** Postgres behind ports: each program takes the parts it needs. */
export interface Store {
  intake: IntakeStore;
  turns: TurnStore;
  transcript: TranscriptStore;
  compactions: CompactionStore;
  dcp: DcpStore;
  erase: EraseStore;
  media: MediaStore;
  outbox: OutboxStore;
  leases: LeaseStore;
  sweep: SweepStore;
  operators: OperatorStore;
  access: AccessStore;
  links: LinkStore;
  boards: BoardStore;
  actions: ActionStore;
  localChat: LocalChatStore;
  notices: NoticeStore;
  toolLists: ToolListStore;
  usage: UsageStore;
  lcm: LcmStore;
  hooks: HookStore;
  close(): Promise<void>;
}
