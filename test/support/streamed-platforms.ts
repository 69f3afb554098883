/** Telegram and Discord as the tests of answers that are being written see them: one set of cases, two strict fakes. */
import type { PlatformSender } from '@palimpsest/core';
import { startFakeDiscord, startFakeTelegram } from '@palimpsest/testkit';
import type { Said } from './answering-world.ts';
import { discordAdapterOf } from './discord-adapter.ts';
import { adapterOf } from './fake-telegram.ts';
import { sharedPath } from './shared.ts';

/** Two people with a direct chat each, and a group. */
export type Room = 'ada' | 'bob' | 'group';

export interface StreamedPlatform {
  name: 'telegram' | 'discord';
  /** Units of one message. */
  limit: number;
  /** The process asks no more until a limit is over, whatever the database says. */
  remembersLimits: boolean;
  isMissing: boolean;
  start(): Promise<StreamedChats>;
}

export interface StreamedChats {
  makeSender(): PlatformSender;
  /** A question that somebody sends there. */
  asks(room: Room): Said;
  /** What stands there now. */
  texts(room: Room): string[];
  /** Which of what stands there is a file. */
  files(room: Room): boolean[];
  /** How each looks beside its text: marks on Telegram, who is pinged on Discord. */
  looksOf(room: Room): object[];
  /** Texts of the requests that wrote a message there, as they were first. */
  written(room: Room): string[];
  /** Requests that changed a message. */
  edits(): number;
  refuseNextEdit(seconds: number): void;
  loseAnswerOfNext(request: 'send' | 'edit'): void;
  failNextSend(): void;
  /** Nothing of it is out, and it is not to be tried again. */
  refuseNextSend(): void;
  /** The first message there is gone. */
  deleteFirst(room: Room): void;
  /** Gives the rules that were broken. */
  close(): Promise<readonly string[]>;
}

const telegramSchema = sharedPath('telegram/bot-api.json');
const discordSchema = sharedPath('discord/openapi.json');

async function startTelegram(): Promise<StreamedChats> {
  const telegram = await startFakeTelegram({ schemaPath: telegramSchema.path, liftRateLimits: true });
  const ids = { ada: 4_242, bob: 99, group: -7 };
  telegram.addChat({ id: ids.ada, type: 'private', first_name: 'Ada' });
  telegram.addChat({ id: ids.group, type: 'group', title: 'Group' });
  const methods = { send: 'sendMessage', edit: 'editMessageText' };
  return {
    makeSender: () => adapterOf(telegram).sender,
    asks(room) {
      const chatId = ids[room];
      const from = room === 'group' ? ids.ada : chatId;
      const { message } = telegram.userSends({ chatId, from, text: 'a question' });
      const { message_id: messageId } = message as { message_id: number };
      const kind = room === 'group' ? 'group' : 'direct';
      return { chatId: String(chatId), messageId: String(messageId), kind };
    },
    texts: (room) => telegram.sent(ids[room]).map(({ text }) => text),
    files: (room) => telegram.sent(ids[room]).map(({ message }) => 'document' in message),
    looksOf: (room) => telegram.sent(ids[room]).map(({ entities }) => ({ entities })),
    written: (room) =>
      telegram
        .requestsTo('sendMessage')
        .flatMap(({ params }) => (params.chat_id === ids[room] ? [String(params.text)] : [])),
    edits: () => telegram.requestsTo('editMessageText').length,
    refuseNextEdit: (seconds) =>
      telegram.failNext('editMessageText', {
        error_code: 429,
        description: `Too Many Requests: retry after ${seconds}`,
        parameters: { retry_after: seconds },
      }),
    loseAnswerOfNext: (request) => telegram.dropAnswerNext(methods[request]),
    failNextSend: () =>
      telegram.failNext('sendMessage', { error_code: 500, description: 'Internal Server Error' }),
    refuseNextSend: () =>
      telegram.failNext('sendMessage', { error_code: 400, description: 'Bad Request: not today' }),
    deleteFirst: () =>
      telegram.failNext('editMessageText', {
        error_code: 400,
        description: 'Bad Request: message to edit not found',
      }),
    async close() {
      await telegram.close();
      return telegram.violations;
    },
  };
}

async function startDiscordChats(): Promise<StreamedChats> {
  const discord = await startFakeDiscord({ schemaPath: discordSchema.path, liftRateLimits: true });
  const people = {
    ada: { id: '700000000000000001', username: 'ada' },
    bob: { id: '700000000000000002', username: 'bob' },
  };
  const guild = discord.addGuild({ members: [people.ada] });
  const ids = {
    ada: discord.addDm(people.ada).id,
    bob: discord.addDm(people.bob).id,
    group: discord.addTextChannel({ guildId: guild.id }).id,
  };
  const routes = {
    send: 'POST /channels/{channel_id}/messages',
    edit: 'PATCH /channels/{channel_id}/messages/{message_id}',
  };
  const asked = (method: 'POST' | 'PATCH') =>
    discord.requests.filter(
      (request) => request.method === method && /\/messages(\/\d+)?$/.test(request.path),
    );
  const standing = (room: Room) => discord.sent(ids[room]).filter(({ deleted }) => !deleted);
  return {
    makeSender: () => discordAdapterOf(discord).sender,
    asks(room) {
      const author = room === 'group' ? people.ada : people[room];
      const { id } = discord.userSends({ channelId: ids[room], author, content: 'a question' });
      return { chatId: ids[room], messageId: id, kind: room === 'group' ? 'group' : 'direct' };
    },
    texts: (room) => standing(room).map(({ content }) => content),
    files: (room) => standing(room).map(({ attachments }) => attachments.length > 0),
    looksOf: (room) => standing(room).map(({ allowedMentions, pings }) => ({ allowedMentions, pings })),
    written: (room) =>
      asked('POST').flatMap(({ path, body }) =>
        path.includes(ids[room]) ? [String((body as { content?: string }).content)] : [],
      ),
    edits: () => asked('PATCH').length,
    refuseNextEdit: (seconds) => discord.limitNext(routes.edit, seconds),
    loseAnswerOfNext: (request) => discord.dropAnswerNext(routes[request]),
    failNextSend: () => discord.failNext(routes.send, { status: 500, body: { message: 'x', code: 0 } }),
    refuseNextSend: () =>
      discord.failNext(routes.send, { status: 400, body: { message: 'not today', code: 50035 } }),
    deleteFirst: (room) =>
      discord.userDeletes({ channelId: ids[room], messageId: discord.sent(ids[room])[0]!.id }),
    async close() {
      await discord.close();
      return discord.violations;
    },
  };
}

export const streamedPlatforms: readonly StreamedPlatform[] = [
  {
    name: 'telegram',
    limit: 4_096,
    remembersLimits: false,
    isMissing: telegramSchema.missing,
    start: startTelegram,
  },
  {
    name: 'discord',
    limit: 2_000,
    remembersLimits: true,
    isMissing: discordSchema.missing,
    start: startDiscordChats,
  },
];
