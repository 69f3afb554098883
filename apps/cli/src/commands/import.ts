import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { GatewayError, type Platform } from '@palimpsest/core';
import { openHistory } from '@palimpsest/store';
import { Option, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { createLogger } from '../create-logger.ts';
import { readConversation } from '../import/read-conversation.ts';
import { print } from '../print.ts';
import { readSettings } from '../settings.ts';
import { withDatabase } from '../with-database.ts';

interface Flags {
  platform: Platform;
  account: string;
  chat?: string;
  group?: boolean;
  append?: boolean;
  json?: boolean;
}

/** import FILE: an older conversation becomes the beginning of a chat. */
export function addImportCommand(program: Command, context: CliContext): void {
  program
    .command('import <file>')
    .description(
      'a conversation as JSON lines (role, content, tool_calls …) into a chat; all of it or nothing',
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
    .option('--json', 'one JSON object')
    .action((file: string, flags: Flags) => importFile(context, resolve(context.folder, file), flags));
}

async function importFile(context: CliContext, file: string, flags: Flags): Promise<void> {
  const { rows, skipped } = readConversation(readText(file), basename(file), new Date());
  if (flags.platform !== 'local' && (flags.account === 'local' || !flags.chat))
    throw new GatewayError('input_invalid', `a chat on ${flags.platform} needs --account and --chat.`);
  const account = { platform: flags.platform, id: flags.account };
  const kind = flags.group ? ('group' as const) : ('direct' as const);
  const place = { chatId: flags.chat ?? basename(file).replace(/\.\w+$/, ''), threadId: '', kind };
  const { config } = readSettings(context.env, context.folder);
  let sessionId = '';
  await withDatabase(context, async (databaseUrl) => {
    const history = openHistory({ databaseUrl, logger: createLogger('warn') });
    try {
      const [used] = flags.append ? [] : await history.sessionsOfChat(account, place);
      if (used !== undefined) throw usedProblem(place.chatId, used);
      const { engine } = config.context;
      const sender = { id: `import:${place.chatId}`, name: place.chatId, isBot: false };
      sessionId = await history.importRows({ account, place, sender, engine, rows });
    } finally {
      await history.close();
    }
  });
  const line = `${rows.length} messages are session ${sessionId} of chat ${place.chatId} now${skipped > 0 ? `; ${skipped} lines of instructions were left out` : ''}`;
  print(flags.json, { sessionId, messages: rows.length, skipped }, [line]);
}

/** A second import of the same file would say everything twice. */
function usedProblem(chatId: string, sessionId: string): GatewayError {
  return new GatewayError(
    'input_invalid',
    `chat ${chatId} has a session already (${sessionId}); --append puts the messages behind what it holds.`,
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GatewayError('input_invalid', `${file} cannot be read. Name a file of JSON lines.`, { cause });
  }
}
