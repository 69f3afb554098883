import { parseCommand } from '../parse-command.ts';
import {
  GatewayError,
  type AccountRef,
  type IncomingUpdate,
  type PlatformListener,
  type StoredUpdate,
  type StoreUpdates,
} from '@palimpsest/core';

export const localAccount: AccountRef = { platform: 'local', id: 'local' };

/** One message typed into the local web chat. `messageId` is made by the page, so that a repeated POST is stored once. */
export interface LocalMessage {
  chatId: string;
  messageId: string;
  text: string;
  senderId: string;
  senderName: string;
  sentAt: Date;
  /** The id of an older message whose text this replaces. */
  edits?: string;
}

/** The incoming half of the local web chat: a POST returns once its message is committed. */
export class LocalListener implements PlatformListener {
  readonly account = localAccount;
  #store: StoreUpdates | null = null;
  #lastAlive: Date | null = null;

  async run(store: StoreUpdates, signal: AbortSignal): Promise<void> {
    this.#store = store;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#store = null;
  }

  lastAlive(): Date | null {
    return this.#lastAlive;
  }

  isListening(): boolean {
    return this.#store !== null;
  }

  /** throws platform_unavailable while the gateway starts or stops, and whatever the store throws: nothing was stored */
  async submit(message: LocalMessage): Promise<StoredUpdate> {
    if (!this.#store) {
      throw new GatewayError(
        'platform_unavailable',
        'the local chat is starting or stopping; send the message again',
        { retryable: true },
      );
    }
    const [stored] = await this.#store([normaliseLocal(message)]);
    this.#lastAlive = new Date();
    return stored!;
  }
}

/** The raw form of a local message is its JSON text. */
export function normaliseLocal(message: LocalMessage): IncomingUpdate {
  const { chatId, messageId, text, sentAt } = message;
  const base = {
    chat: { chatId, threadId: '', kind: 'direct' as const, title: 'local chat' },
    sender: { id: message.senderId, name: message.senderName, isBot: false },
    text,
  };
  const raw = new TextEncoder().encode(JSON.stringify(message));
  if (message.edits !== undefined) {
    return {
      updateKey: `${chatId}:${messageId}`,
      raw,
      content: { kind: 'edit', ...base, messageId: message.edits, editedAt: sentAt },
    };
  }
  const command = parseCommand(text, null) ?? undefined;
  const content = {
    kind: 'message' as const,
    ...base,
    messageId,
    sentAt,
    addressed: true,
    command,
  };
  return { updateKey: `${chatId}:${messageId}`, raw, content };
}
