import { GatewayError, type PendingPairing, type Platform } from '@palimpsest/core';
import type { Command } from 'commander';
import { approveCode } from '../access/approve.ts';
import { explainAccess } from '../access/explain.ts';
import type { CliContext } from '../cli-context.ts';
import { print } from '../print.ts';
import { readSettings } from '../settings.ts';
import { withStore, withStoreAndQueue } from '../with-store.ts';

interface Flags {
  json?: boolean;
}
interface EntryFlags extends Flags {
  chat?: boolean;
}
interface ExplainFlags extends Flags {
  user?: string;
  chat?: string;
}

const json = ['--json', 'one JSON object'] as const;
const platforms: readonly Platform[] = ['telegram', 'discord'];

/** access list | allow | deny | revoke | approve | explain: numeric ids only; takes effect at once, also for messages that wait. */
export function addAccessCommands(program: Command, context: CliContext): void {
  const access = program.command('access').description('who may talk to the bot');
  access
    .command('list')
    .description('who was allowed or denied by command, and who was turned away lately')
    .option(...json)
    .action((flags: Flags) => list(context, flags));
  for (const decision of ['allow', 'deny'] as const) {
    access
      .command(`${decision} <platform> <id>`)
      .description(`${decision} a person, or with --chat a group, by numeric id`)
      .option('--chat', 'the id is that of a group')
      .option(...json)
      .action((platform: string, id: string, options: EntryFlags) =>
        set(context, { platform, id, access: decision, kind: options.chat ? 'chat' : 'user' }, options),
      );
  }
  access
    .command('revoke <platform> <id>')
    .description('take back what was allowed, denied or paired: the lists of the config hold again')
    .option('--chat', 'the id is that of a group')
    .option(...json)
    .action((platform: string, id: string, options: EntryFlags) =>
      revoke(context, { platform, id, kind: options.chat ? 'chat' : 'user' }, options),
    );
  access
    .command('approve <code>')
    .description('let in, for direct messages, whoever was shown this code')
    .option(...json)
    .action((code: string, flags: Flags) => approve(context, code, flags));
  access
    .command('explain <platform> [message]')
    .description('why a message was answered or not, and what would become of the next one')
    .option('--user <id>', 'the newest messages of this person')
    .option('--chat <id>', 'only in this chat')
    .option(...json)
    .action((platform: string, message: string | undefined, options: ExplainFlags) =>
      explain(context, platform, { message, ...options }),
    );
}

async function list(context: CliContext, flags: Flags): Promise<void> {
  await withStore(context, async (store) => {
    const entries = await store.operators.access();
    const denied = await store.operators.denied(10);
    const pending = await store.access.pending();
    const lines = entries.map(
      (entry) =>
        `${entry.access.padEnd(6)} ${entry.platform.padEnd(9)} ${entry.kind.padEnd(5)} ${entry.id}  ${entry.name ?? ''}`,
    );
    const turned = denied.map(
      (entry) =>
        `turned away  ${entry.platform.padEnd(9)} user  ${entry.senderId}  ${entry.reason}, ${entry.times} times, last ${entry.lastAt.toISOString()}`,
    );
    print(flags.json, { entries, pending, denied }, [
      ...(lines.length > 0 ? lines : ['No entries by command; the lists of the config hold.']),
      ...pending.map(waitingLine),
      ...turned,
    ]);
  });
}

function waitingLine({ platform, userId, expiresAt }: PendingPairing): string {
  return `waits   ${platform.padEnd(9)} user  ${userId}  was shown a code, until ${expiresAt.toISOString()}`;
}

async function set(
  context: CliContext,
  entry: { platform: string; id: string; access: 'allow' | 'deny'; kind: 'user' | 'chat' },
  flags: Flags,
): Promise<void> {
  const [platform, id] = [knownPlatform(entry.platform), numericId(entry.id)];
  await withStore(context, async (store) => {
    const done = { platform, kind: entry.kind, id, access: entry.access };
    await store.operators.setAccess(done);
    const word = entry.access === 'allow' ? 'Allowed' : 'Denied';
    print(flags.json, done, [`${word}: ${platform} ${entry.kind} ${id}`]);
  });
}

async function revoke(
  context: CliContext,
  entry: { platform: string; id: string; kind: 'user' | 'chat' },
  flags: Flags,
): Promise<void> {
  const [platform, id] = [knownPlatform(entry.platform), numericId(entry.id)];
  await withStore(context, async (store) => {
    const done = await store.access.forget({ platform, kind: entry.kind, id });
    const words = done ? 'Revoked; the lists of the config hold' : 'There was no entry by command';
    print(flags.json, { platform, kind: entry.kind, id, revoked: done }, [
      `${words}: ${platform} ${entry.kind} ${id}`,
    ]);
  });
}

async function approve(context: CliContext, code: string, flags: Flags): Promise<void> {
  await withStoreAndQueue(context, async (parts) => {
    const { platform, userId } = await approveCode(parts, code);
    print(flags.json, { platform, userId }, [
      `Let in for direct messages: ${platform} user ${userId}. In groups they have no rights by this; \`access allow\` gives those.`,
    ]);
  });
}

async function explain(
  context: CliContext,
  platformName: string,
  asked: ExplainFlags & { message?: string },
): Promise<void> {
  const platform = knownPlatform(platformName);
  const { message: messageId, user, chat } = asked;
  if (messageId === undefined && user === undefined)
    throw new GatewayError('input_invalid', 'name a message by its id, or a person with --user ID.');
  const userId = user === undefined ? undefined : numericId(user);
  const chatId = chat === undefined ? undefined : numericId(chat);
  const { config } = readSettings(context.env, context.folder);
  await withStore(context, async (store) => {
    const lines = await explainAccess(store, config, { platform, messageId, userId, chatId });
    print(asked.json, { platform, lines }, lines);
  });
}

function knownPlatform(name: string): Platform {
  const platform = platforms.find((known) => known === name);
  if (platform) return platform;
  throw new GatewayError(
    'input_invalid',
    `${JSON.stringify(name)} is not a platform; allowed: ${platforms.join(', ')}.`,
  );
}

function numericId(id: string): string {
  if (/^-?\d{1,20}$/.test(id)) return id;
  throw new GatewayError(
    'input_invalid',
    `${JSON.stringify(id)} is not a numeric id; names are never compared. /whoami shows a person's id.`,
  );
}
