import type { Role, RowKind } from '../message.ts';

/** One line of the local web chat as the page shows it. */
export interface LocalLine {
  /** `message` rows of the transcript, `reply` rows of the outbox that are not transcript (notices). */
  id: string;
  /** The page's own id of a person's message. */
  messageId?: string;
  role: Role;
  kind: RowKind;
  text: string;
  at: Date;
}

/** What the local web chat reads: the same tables every platform uses. */
export interface LocalChatStore {
  /** The conversation of a local chat, oldest first, archived lines included: a person sees everything said. */
  history(chatId: string, limit: number): Promise<readonly LocalLine[]>;
  /** Text so far of the turn running in the chat; null when none runs. */
  progress(chatId: string): Promise<{ turnId: string; text: string; note: string } | null>;
  /** Sent replies of the chat with an outbox id above `afterId`, oldest first. */
  repliesAfter(
    chatId: string,
    afterId: number,
  ): Promise<readonly { id: number; text: string; kind: 'final' | 'notice'; at: Date }[]>;
}
