import { openSync, readFileSync, readSync, closeSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import {
  GatewayError,
  type AccountRef,
  type ChatPlace,
  type HistoryStore,
  type Platform,
} from '@palimpsest/core';
import { openHistory } from '@palimpsest/store';
import { Option, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { createLogger } from '../create-logger.ts';
import { readConversation, type Conversation } from '../import/read-conversation.ts';
import { HermesFile, isSqlite, type HermesConversation } from '../import/read-hermes.ts';
import { operator } from '../operator.ts';
import { print } from '../print.ts';
import { showProgress } from '../progress.ts';
import { readSettings } from '../settings.ts';
import { withDatabase } from '../with-database.ts';

interface Flags {
  platform: Platform;
  account: string;
  chat?: string;
  group?: boolean;
  append?: boolean;
  session?: string;
  all?: boolean;
  json?: boolean;
}

/** What is to become the beginning of one chat. */
interface Wanted {
  chatId: string;
  conversation: Conversation;
}

interface Imported {
  chatId: string;
  sessionId: string;
  messages: number;
  skipped: number;
}

/** import FILE: older conversations become the beginnings of chats. */
export function addImportCommand(program: Command, context: CliContext): void {
  program
    .command('import <file>')
    .description(
      'a conversation as JSON lines (role, content, tool_calls …), or out of a state.db of Hermes, into a chat; each conversation whole or not at all',
    )
    .addOption(
      new Option('--platform <name>', 'where the chat is')
        .choices(['telegram', 'discord', 'local'])
        .default('local'),
    )
    .option('--account <id>', "the bot's own numeric id on that platform", 'local')
    .option('--chat <id>', "the platform's id of the chat; local: its name (default: that of the file)")
    .option('--group', 'the chat is a group')
    .option('--append', 'even where the chat has messages already')
    .option('--session <id>', 'state.db: this session of several')
    .option('--all', 'state.db: every conversation, each into a local chat with the name of its session')
    .option('--json', 'one JSON object')
    .action((file: string, flags: Flags) => importFile(context, resolve(context.folder, file), flags));
}

async function importFile(context: CliContext, file: string, flags: Flags): Promise<void> {
  const wanted = await readFile(file, flags);
  if (flags.platform !== 'local' && (flags.account === 'local' || !flags.chat))
    throw new GatewayError('input_invalid', `a chat on ${flags.platform} needs --account and --chat.`);
  const { config } = readSettings(context.env, context.folder);
  const imported: Imported[] = [];
  await withDatabase(context, async (databaseUrl) => {
    const history = openHistory({ databaseUrl, logger: createLogger('warn') });
    try {
      if (!flags.append) for (const { chatId } of wanted) await refuseUsed(history, placeOf(chatId, flags));
      for (const one of wanted)
        imported.push(
          await importOne(history, one, { ...placeOf(one.chatId, flags), engine: config.context.engine }),
        );
    } finally {
      await history.close();
    }
  });
  const [only] = imported;
  print(flags.json, flags.all ? { imported } : (only ?? {}), imported.map(lineOf));
}

function lineOf({ chatId, sessionId, messages, skipped }: Imported): string {
  const left =
    skipped > 0 ? `; ${skipped} lines of instructions and of what stands there twice were left out` : '';
  return `${messages} messages are session ${sessionId} of chat ${chatId} now${left}`;
}

interface Place {
  account: AccountRef;
  place: ChatPlace;
}

function placeOf(chatId: string, flags: Flags): Place {
  const kind = flags.group ? ('group' as const) : ('direct' as const);
  return {
    account: { platform: flags.platform, id: flags.account },
    place: { chatId, threadId: '', kind },
  };
}

async function importOne(
  history: HistoryStore,
  { chatId, conversation: { rows, skipped } }: Wanted,
  where: Place & { engine: string },
): Promise<Imported> {
  using progress = showProgress('messages', rows.length);
  const sessionId = await history.importRows({
    ...where,
    sender: { id: `import:${chatId}`, name: chatId, isBot: false },
    rows,
    actor: operator(),
    onProgress: (count) => progress.at(count),
  });
  return { chatId, sessionId, messages: rows.length, skipped };
}

async function readFile(file: string, flags: Flags): Promise<Wanted[]> {
  const where = basename(file);
  const named = flags.chat ?? where.replace(/\.\w+$/, '');
  if (isSqlite(headOf(file))) return readHermes(file, where, { ...flags, named });
  if (flags.session !== undefined || flags.all)
    throw new GatewayError(
      'input_invalid',
      `${where} holds one conversation: --session and --all are for a state.db of Hermes.`,
    );
  return [{ chatId: named, conversation: readConversation(readFileSync(file, 'utf8'), where, new Date()) }];
}

async function readHermes(file: string, where: string, flags: Flags & { named: string }): Promise<Wanted[]> {
  using hermes = await HermesFile.open(file, where);
  const conversations = hermes.conversations();
  if (flags.all) {
    if (flags.platform !== 'local')
      throw new GatewayError(
        'input_invalid',
        '--all makes local chats; import one at a time with --session into a chat elsewhere.',
      );
    return conversations.map((one) => ({
      chatId: one.sessionIds.at(-1) ?? '',
      conversation: hermes.read(one),
    }));
  }
  const chosen = choose(conversations, where, flags.session);
  return [{ chatId: flags.named, conversation: hermes.read(chosen) }];
}

const listed = 10;

function choose(
  conversations: readonly HermesConversation[],
  where: string,
  session: string | undefined,
): HermesConversation {
  const [first, second] = conversations;
  if (session === undefined && first && !second) return first;
  const named = conversations.find(({ sessionIds }) => session !== undefined && sessionIds.includes(session));
  if (named) return named;
  const lines = conversations
    .slice(0, listed)
    .map(({ sessionIds, title, source, messages }) =>
      `  ${sessionIds.at(-1)}  ${messages} messages  ${source ?? ''}  ${title ?? ''}`.trimEnd(),
    );
  const why =
    session === undefined ? `holds ${conversations.length} conversations` : `holds no session ${session}`;
  throw new GatewayError(
    'input_invalid',
    [`${where} ${why}; name one with --session, or take --all. The newest:`, ...lines].join('\n'),
  );
}

/** A second import of the same file would say everything twice. */
async function refuseUsed(history: HistoryStore, { account, place }: Place): Promise<void> {
  const [used] = await history.sessionsOfChat(account, place);
  if (used === undefined) return;
  throw new GatewayError(
    'input_invalid',
    `chat ${place.chatId} has a session already (${used}); --append puts the messages behind what it holds. Nothing was imported.`,
  );
}

function headOf(file: string): Uint8Array {
  try {
    const opened = openSync(file, 'r');
    try {
      const head = new Uint8Array(16);
      readSync(opened, head);
      return head;
    } finally {
      closeSync(opened);
    }
  } catch (cause) {
    throw new GatewayError(
      'input_invalid',
      `${file} cannot be read. Name a file of JSON lines, or a state.db of Hermes.`,
      { cause },
    );
  }
}
