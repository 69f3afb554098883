import { GatewayError, type PendingPairing, type Platform } from '@palimpsest/core';
import type { Command } from 'commander';
import { approveCode } from '../access/approve.ts';
import { explainAccess } from '../access/explain.ts';
import type { CliContext } from '../cli-context.ts';
import { readSettings } from '../settings.ts';
import { withStore, withStoreAndQueue } from '../with-store.ts';

const platforms: readonly Platform[] = ['telegram', 'discord'];

/** access list | allow | deny | revoke | approve | explain: numeric ids only; takes effect at once, also for messages that wait. */
export function addAccessCommands(program: Command, context: CliContext): void {
  const access = program.command('access').description('who may talk to the bot');
  access
    .command('list')
    .description('who was allowed or denied by command, and who was turned away lately')
    .option('--json', 'one JSON object')
    .action((options: { json?: boolean }) => list(context, options.json ?? false));
  for (const decision of ['allow', 'deny'] as const) {
    access
      .command(`${decision} <platform> <id>`)
      .description(`${decision} a person, or with --chat a group, by numeric id`)
      .option('--chat', 'the id is that of a group')
      .action((platform: string, id: string, options: { chat?: boolean }) =>
        set(context, { platform, id, access: decision, kind: options.chat ? 'chat' : 'user' }),
      );
  }
  access
    .command('revoke <platform> <id>')
    .description('take back what was allowed, denied or paired: the lists of the config hold again')
    .option('--chat', 'the id is that of a group')
    .action((platform: string, id: string, options: { chat?: boolean }) =>
      revoke(context, { platform, id, kind: options.chat ? 'chat' : 'user' }),
    );
  access
    .command('approve <code>')
    .description('let in, for direct messages, whoever was shown this code')
    .action((code: string) => approve(context, code));
  access
    .command('explain <platform> [message]')
    .description('why a message was answered or not, and what would become of the next one')
    .option('--user <id>', 'the newest messages of this person')
    .option('--chat <id>', 'only in this chat')
    .action((platform: string, message: string | undefined, options: { user?: string; chat?: string }) =>
      explain(context, platform, { message, ...options }),
    );
}

async function list(context: CliContext, json: boolean): Promise<void> {
  await withStore(context, async (store) => {
    const entries = await store.operators.access();
    const denied = await store.operators.denied(10);
    const pending = await store.access.pending();
    if (json) return void process.stdout.write(`${JSON.stringify({ entries, pending, denied })}\n`);
    const lines = entries.map(
      (entry) =>
        `${entry.access.padEnd(6)} ${entry.platform.padEnd(9)} ${entry.kind.padEnd(5)} ${entry.id}  ${entry.name ?? ''}`,
    );
    const turned = denied.map(
      (entry) =>
        `turned away  ${entry.platform.padEnd(9)} user  ${entry.senderId}  ${entry.reason}, ${entry.times} times, last ${entry.lastAt.toISOString()}`,
    );
    process.stdout.write(
      [
        ...(lines.length > 0 ? lines : ['No entries by command; the lists of the config hold.']),
        ...pending.map(waitingLine),
        ...turned,
        '',
      ].join('\n'),
    );
  });
}

function waitingLine({ platform, userId, expiresAt }: PendingPairing): string {
  return `waits   ${platform.padEnd(9)} user  ${userId}  was shown a code, until ${expiresAt.toISOString()}`;
}

async function set(
  context: CliContext,
  entry: { platform: string; id: string; access: 'allow' | 'deny'; kind: 'user' | 'chat' },
): Promise<void> {
  const [platform, id] = [knownPlatform(entry.platform), numericId(entry.id)];
  await withStore(context, async (store) => {
    await store.operators.setAccess({ platform, kind: entry.kind, id, access: entry.access });
    process.stdout.write(
      `${entry.access === 'allow' ? 'Allowed' : 'Denied'}: ${platform} ${entry.kind} ${id}\n`,
    );
  });
}

async function revoke(
  context: CliContext,
  entry: { platform: string; id: string; kind: 'user' | 'chat' },
): Promise<void> {
  const [platform, id] = [knownPlatform(entry.platform), numericId(entry.id)];
  await withStore(context, async (store) => {
    const done = await store.access.forget({ platform, kind: entry.kind, id });
    const words = done ? 'Revoked; the lists of the config hold' : 'There was no entry by command';
    process.stdout.write(`${words}: ${platform} ${entry.kind} ${id}\n`);
  });
}

async function approve(context: CliContext, code: string): Promise<void> {
  await withStoreAndQueue(context, async (parts) => {
    process.stdout.write(`${await approveCode(parts, code)}\n`);
  });
}

async function explain(
  context: CliContext,
  platformName: string,
  asked: { message?: string; user?: string; chat?: string },
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
    process.stdout.write(`${lines.join('\n')}\n`);
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
