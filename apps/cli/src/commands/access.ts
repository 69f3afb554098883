import { GatewayError, type Platform } from '@palimpsest/core';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { withStore } from '../with-store.ts';

const platforms: readonly Platform[] = ['telegram', 'discord'];

/** access list | allow | deny: numeric ids only; takes effect at once, also for messages that wait. */
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
}

async function list(context: CliContext, json: boolean): Promise<void> {
  await withStore(context, async (store) => {
    const entries = await store.operators.access();
    const denied = await store.operators.denied(10);
    if (json) return void process.stdout.write(`${JSON.stringify({ entries, denied })}\n`);
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
        ...turned,
        '',
      ].join('\n'),
    );
  });
}

async function set(
  context: CliContext,
  entry: { platform: string; id: string; access: 'allow' | 'deny'; kind: 'user' | 'chat' },
): Promise<void> {
  const platform = platforms.find((known) => known === entry.platform);
  if (!platform)
    throw new GatewayError(
      'input_invalid',
      `${JSON.stringify(entry.platform)} is not a platform; allowed: ${platforms.join(', ')}.`,
    );
  if (!/^-?\d{1,20}$/.test(entry.id))
    throw new GatewayError(
      'input_invalid',
      `${JSON.stringify(entry.id)} is not a numeric id; names are never compared. /whoami shows a person's id.`,
    );
  await withStore(context, async (store) => {
    await store.operators.setAccess({ platform, kind: entry.kind, id: entry.id, access: entry.access });
    process.stdout.write(
      `${entry.access === 'allow' ? 'Allowed' : 'Denied'}: ${platform} ${entry.kind} ${entry.id}\n`,
    );
  });
}
