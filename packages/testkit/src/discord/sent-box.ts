/** What the bot sent, as tests look at it, and who waits for it. */
import type { StoredMessage } from './world.ts';

/** A message of the bot, kept up to date by edits and deletions. */
export interface SentMessage {
  id: string;
  channelId: string;
  content: string;
  nonce: string | number | undefined;
  flags: number;
  embeds: unknown[];
  components: unknown[];
  attachments: { filename: string; contentType: string; bytes: Uint8Array }[];
  /** The field as it was in the last write; undefined when it was left out, which pings everything in the text. */
  allowedMentions: Record<string, unknown> | undefined;
  /** Who was really pinged. */
  pings: { everyone: boolean; userIds: string[]; roleIds: string[] };
  replyToId: string | undefined;
  /** Texts of all edits, in order; `content` is the last of them. */
  edits: string[];
  deleted: boolean;
  /** True for answers to interactions only the user sees. */
  ephemeral: boolean;
  createdMs: number;
}

interface Waiter {
  matches: (message: SentMessage) => boolean;
  resolve: (message: SentMessage) => void;
}

const ephemeralFlag = 1 << 6;

export class SentBox {
  readonly #sent: SentMessage[] = [];
  readonly #waiters = new Set<Waiter>();

  /** Messages of the bot in a channel, oldest first, deleted ones too. */
  in(channelId: string): SentMessage[] {
    return this.#sent.filter((message) => message.channelId === channelId);
  }

  get all(): readonly SentMessage[] {
    return this.#sent;
  }

  added(message: StoredMessage, allowedMentions: Record<string, unknown> | undefined): void {
    const sent: SentMessage = {
      id: message.id,
      channelId: message.channelId,
      nonce: message.nonce,
      allowedMentions,
      replyToId: message.reference?.messageId,
      edits: [],
      deleted: false,
      ephemeral: (message.flags & ephemeralFlag) !== 0,
      createdMs: message.createdMs,
      ...looksOf(message),
    };
    this.#sent.push(sent);
    this.#tell(sent);
  }

  edited(message: StoredMessage, allowedMentions: Record<string, unknown> | undefined): void {
    const sent = this.#find(message);
    if (sent === undefined) return;
    Object.assign(sent, looksOf(message), { allowedMentions });
    sent.edits.push(message.content);
    this.#tell(sent);
  }

  removed(message: StoredMessage): void {
    const sent = this.#find(message);
    if (sent !== undefined) sent.deleted = true;
  }

  /**
   * Wait for a message of the bot that fits, looked at when it is sent and after each edit;
   * rejects after `timeoutMs` with the number of messages seen, never with their text.
   */
  waitFor(matches: (message: SentMessage) => boolean, timeoutMs: number): Promise<SentMessage> {
    const already = this.#sent.find(matches);
    if (already !== undefined) return Promise.resolve(already);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { matches, resolve: (message) => (clearTimeout(timer), resolve(message)) };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(
          new Error(
            `The bot sent no fitting message in ${timeoutMs} ms; it sent ${this.#sent.length} others`,
          ),
        );
      }, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  #find(message: StoredMessage): SentMessage | undefined {
    return this.#sent.findLast((sent) => sent.id === message.id);
  }

  #tell(sent: SentMessage): void {
    for (const waiter of this.#waiters) {
      if (!waiter.matches(sent)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(sent);
    }
  }
}

function looksOf(
  message: StoredMessage,
): Pick<SentMessage, 'content' | 'flags' | 'embeds' | 'components' | 'attachments' | 'pings'> {
  return {
    content: message.content,
    flags: message.flags,
    embeds: message.embeds,
    components: message.components,
    attachments: message.attachments.map(({ filename, contentType, bytes }) => ({
      filename,
      contentType,
      bytes,
    })),
    pings: {
      everyone: message.mentionEveryone,
      userIds: message.mentions.map((user) => user.id),
      roleIds: message.mentionRoles,
    },
  };
}
