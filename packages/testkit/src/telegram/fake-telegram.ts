/** The fake as tests hold it: people on one side, the bot's view on the other, faults between. */
import type { Refusal } from './api-error.ts';
import type { BotServer } from './bot-server.ts';
import type { ChatStatus } from './chat-book.ts';
import type { FaultList, HeldAnswer } from './faults.ts';
import type { JournalEntry } from './journal.ts';
import { commandKey, type CommandScope } from './methods/commands.ts';
import type { SentListener, SentMessage } from './sent-messages.ts';
import {
  type BotCommand,
  type CallbackAnswer,
  type Draft,
  type ServerState,
  type ShownAction,
} from './server-state.ts';
import { isObject, type Chat, type Message, type Update } from './types.ts';
import { makeUser, storeUserMessage, type Sender, type UserMessage } from './user-message.ts';

/** A chat to add; private chats get a first name, others a title. */
export type NewChat = Partial<Chat> & Pick<Chat, 'id' | 'type'>;

/** A press on an inline button. */
export interface ButtonPress {
  readonly chatId: number;
  readonly messageId: number;
  readonly data: string;
  /** Default: the person of the private chat. */
  readonly from?: Sender;
}

/** What startFakeTelegram hands over. */
export interface FakeTelegramParts {
  readonly apiRoot: string;
  readonly token: string;
  readonly state: ServerState;
  readonly server: BotServer;
  readonly faults: FaultList;
  readonly journal: JournalEntry[];
}

/** A running fake Bot API server. Give `violations` to an assertion after every test. */
export class FakeTelegram implements AsyncDisposable {
  /** Address for grammY's apiRoot; no trailing slash. */
  readonly apiRoot: string;
  readonly token: string;
  /** Every breach of schema or protocol by the bot; must stay empty. */
  readonly violations: string[];
  /** Calls of the bot in order of arrival. */
  readonly requests: readonly JournalEntry[];
  readonly #state: ServerState;
  readonly #server: BotServer;
  readonly #faults: FaultList;
  #callbacks = 0;

  constructor(parts: FakeTelegramParts) {
    this.apiRoot = parts.apiRoot;
    this.token = parts.token;
    this.violations = parts.state.violations;
    this.requests = parts.journal;
    this.#state = parts.state;
    this.#server = parts.server;
    this.#faults = parts.faults;
  }

  /** Calls of one method. */
  requestsTo(method: string): JournalEntry[] {
    return this.requests.filter((entry) => entry.method === method);
  }

  // --- chats ---

  /** Add a chat the bot is in; checked against the schema. */
  addChat(chat: NewChat): Chat {
    const name = chat.type === 'private' ? { first_name: `User ${chat.id}` } : { title: `Chat ${chat.id}` };
    const whole: Chat = { ...name, ...chat };
    this.#check('Chat', whole);
    return this.#state.chats.add(whole).chat;
  }

  /** Block the bot, throw it out, or take it back. */
  setChatStatus(chatId: number, status: ChatStatus): void {
    this.#state.chats.find(chatId).status = status;
  }

  /** Add a forum topic; gives its thread id, which is the id of its service message. */
  addTopic(chatId: number, name: string, from: Sender = chatId): number {
    const topic = { name, icon_color: 7322096 };
    const message = storeUserMessage(this.#state, {
      chatId,
      from,
      fields: { forum_topic_created: topic },
    });
    const threadId = message.message_id;
    const serviceMessage = { ...message, message_thread_id: threadId, is_topic_message: true };
    this.#state.chats.find(chatId).topics.set(threadId, { threadId, serviceMessage, state: 'open' });
    return threadId;
  }

  /** Close, reopen or delete a topic. */
  setTopicState(chatId: number, threadId: number, state: 'open' | 'closed' | 'deleted'): void {
    const topic = this.#state.chats.find(chatId).topics.get(threadId);
    if (!topic) throw new Error(`chat ${chatId} has no topic ${threadId}; add it first`);
    topic.state = state;
  }

  /** Upgrade a group: later sends to the old id are refused with migrate_to_chat_id; both notices go out. */
  migrateChat(oldId: number, newId: number, from: Sender): void {
    const record = this.#state.chats.find(oldId);
    this.addChat({ id: newId, type: 'supergroup', title: record.chat.title ?? 'Group' });
    this.userSends({ chatId: oldId, from, fields: { migrate_to_chat_id: newId } });
    this.userSends({ chatId: newId, from, fields: { migrate_from_chat_id: oldId } });
    record.migratedTo = newId;
  }

  /** Offer a file for download; `size` may lie about its bytes to test limits. */
  addFile(fileId: string, bytes: Buffer, options: { filePath?: string; size?: number } = {}): void {
    const { filePath = `files/${fileId}`, size = bytes.length } = options;
    this.#state.files.set(fileId, { file_id: fileId, file_path: filePath, bytes, size });
  }

  // --- people ---

  /** A person sends or edits a message; private chats need no addChat. Gives the update that went out. */
  userSends(sent: UserMessage): Update {
    if (sent.chatId > 0) this.addChat({ id: sent.chatId, type: 'private' });
    const message: Message = structuredClone(storeUserMessage(this.#state, sent));
    return this.#push({ [sent.edit ? 'edited_message' : 'message']: message });
  }

  /** A person presses an inline button; the query is open until it is answered or expires. */
  userPresses({ chatId, messageId, data, from = chatId }: ButtonPress): Update {
    const stored = this.#state.chats.find(chatId).messages.get(messageId);
    if (!stored) throw new Error(`chat ${chatId} has no message ${messageId} with buttons`);
    const id = `callback-${(this.#callbacks += 1)}`;
    const message = structuredClone(stored.message);
    const query = { id, from: makeUser(from), message, chat_instance: `chat ${chatId}`, data };
    return this.#push({ callback_query: query });
  }

  /** A person presses the button under the live draft; throws where there is none. */
  userStopsDraft(chatId: number): Update {
    const draft = this.draft(chatId);
    if (!draft?.canStop) throw new Error(`chat ${chatId} shows no draft that can be stopped`);
    if (!draft.staysOnStop) this.#state.drafts.delete(chatId);
    const { draftId: draft_id, threadId } = draft;
    const chat = structuredClone(this.#state.chats.find(chatId).chat);
    const thread = threadId === undefined ? {} : { message_thread_id: threadId };
    return this.#push({ stopped_message_generation: { chat, ...thread, draft_id } });
  }

  /** Let all open button presses become too old to answer. */
  expireCallbacks(): void {
    this.#state.openCallbacks.clear();
  }

  /** Push any update; throws if the schema does not have it (recorded ones of older versions: checked false). */
  pushUpdate(update: Update, { checked = true }: { checked?: boolean } = {}): Update {
    if (checked) this.#check('Update', update);
    const query = update.callback_query;
    if (isObject(query) && typeof query.id === 'string') this.#state.openCallbacks.add(query.id);
    this.#state.queue.push(update);
    return update;
  }

  /** The id that the next update will get; set it to let ids jump. */
  get nextUpdateId(): number {
    return this.#state.queue.nextId();
  }

  set nextUpdateId(updateId: number) {
    this.#state.queue.continueFrom(updateId);
  }

  /** Updates that no getUpdates or webhook has confirmed. */
  pendingUpdates(): Update[] {
    return this.#state.queue.list();
  }

  // --- what people see of the bot ---

  /** The bot's messages as now visible, oldest first; all chats if none is named. */
  sent(chatId?: number): SentMessage[] {
    return this.#state.sent.list(chatId);
  }

  /** Listen to sends and edits; gives how to stop. */
  onSent(listener: SentListener): () => void {
    return this.#state.sent.listen(listener);
  }

  /** Wait until a message looks as wanted; throws after timeoutMs. */
  waitForSent(wanted: (sent: SentMessage) => boolean, timeoutMs = 5000): Promise<SentMessage> {
    return this.#state.sent.waitFor(wanted, timeoutMs);
  }

  /** The menu of a scope; empty if none was set. */
  commands(scope?: CommandScope, languageCode?: string): readonly BotCommand[] {
    return this.#state.commands.get(commandKey(scope, languageCode)) ?? [];
  }

  /** All "typing…" shown so far. */
  get actions(): readonly ShownAction[] {
    return this.#state.actions;
  }

  /** All answers to button presses so far. */
  get callbackAnswers(): readonly CallbackAnswer[] {
    return this.#state.callbackAnswers;
  }

  /** The bot's reaction on a message, if any. */
  reaction(chatId: number, messageId: number): string | undefined {
    return this.#state.reactions.get(`${chatId}:${messageId}`);
  }

  /** The live draft of a private chat; undefined after 30 s or a real message. */
  draft(chatId: number): Draft | undefined {
    const draft = this.#state.drafts.get(chatId);
    return draft && draft.untilMs > this.#state.clock.now().getTime() ? draft : undefined;
  }

  // --- faults; method "any" means every method ---

  /** Refuse the next call of a method without doing it. */
  failNext(method: string, refusal: Refusal): void {
    this.#faults.add(method, { kind: 'refuse', refusal });
  }

  /** Do the next call, then cut the line: the bot cannot know whether it was done. */
  dropAnswerNext(method: string): void {
    this.#faults.add(method, { kind: 'drop_answer' });
  }

  /** Cut the line of the next call before anything is done. */
  refuseAnswerNext(method: string): void {
    this.#faults.add(method, { kind: 'cut' });
  }

  /** Answer the next call with something that is no Bot API answer, such as a proxy's page. */
  answerRawNext(method: string, status: number, body: string): void {
    this.#faults.add(method, { kind: 'raw', status, body });
  }

  /** Do the next call and hold its answer until it is released. */
  holdNext(method: string): HeldAnswer {
    return this.#faults.hold(method);
  }

  /** Do the next call and answer it after some time. */
  delayNext(method: string, delayMs: number): void {
    const held = this.#faults.hold(method);
    void held.reached.then(() => setTimeout(held.release, delayMs).unref());
  }

  /** Refuse everything to one chat with 429 until the clock has moved on. */
  floodChat(chatId: number, seconds: number): void {
    this.#state.flood.close(chatId, seconds);
  }

  /** Stop the server and cut all connections; running calls of the bot fail. */
  async close(): Promise<void> {
    this.#state.webhook?.stop();
    await this.#server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #push(body: Record<string, unknown>): Update {
    return this.pushUpdate({ update_id: this.#state.queue.nextId(), ...body });
  }

  #check(type: string, value: unknown): void {
    const faults = this.#state.checker.check([type], value, type);
    if (faults.length > 0) throw new Error(`the schema does not have this ${type}: ${faults.join('; ')}`);
  }
}
