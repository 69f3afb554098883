import { GatewayError, type ErasedCounts, type Platform } from '@palimpsest/core';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { operator } from '../operator.ts';
import { withStore } from '../with-store.ts';

interface Flags {
  yes?: boolean;
  json?: boolean;
}

const yes = ['--yes', 'do it; without this nothing is done'] as const;
const json = ['--json', 'one JSON object'] as const;
const platforms: readonly Platform[] = ['telegram', 'discord', 'local'];

/** session erase: a session's texts for good. The session itself stays, empty; its chat goes on in it. */
export function addEraseSessionCommand(session: Command, context: CliContext): void {
  session
    .command('erase <session>')
    .description('erase all messages, summaries and files of a session for good')
    .option(...yes)
    .option(...json)
    .action((id: string, flags: Flags) => {
      refuseUnlessSure(flags, `all that was said in session ${id}`);
      return withStore(context, async (store) => {
        await store.actions.note({ actor: operator(), act: 'erase', sessionId: id });
        print(flags, await store.erase.session(id));
      });
    });
}

/** person erase: whatever is known of somebody, in every session. */
export function addPersonCommands(program: Command, context: CliContext): void {
  const person = program.command('person').description('people the bot has talked to');
  person
    .command('erase <platform> <id>')
    .description('erase a person everywhere for good: messages, summaries over them, files, ids')
    .option(...yes)
    .option(...json)
    .action((name: string, userId: string, flags: Flags) => {
      const platform = platformOf(name);
      refuseUnlessSure(flags, `everything of ${userId} on ${platform}`);
      return withStore(context, async (store) => {
        // Whose it was is to be known nowhere.
        await store.actions.note({ actor: operator(), act: 'erase', target: `a person on ${platform}` });
        print(flags, await store.erase.person({ platform, userId }));
      });
    });
}

function platformOf(name: string): Platform {
  const platform = platforms.find((known) => known === name);
  if (platform) return platform;
  throw new GatewayError(
    'input_invalid',
    `${JSON.stringify(name)} is not a platform; allowed: ${platforms.join(', ')}.`,
  );
}

function refuseUnlessSure({ yes: isSure }: Flags, what: string): void {
  if (isSure) return;
  throw new GatewayError(
    'input_invalid',
    `nothing is erased yet: this would erase ${what} and cannot be taken back. Add --yes to do it.`,
  );
}

function print({ json: asJson }: Flags, counts: ErasedCounts): void {
  const { sessions, messages, quotes, summaries, payloads } = counts;
  const line = `Erased ${messages} messages in ${sessions} sessions, ${quotes} quotes of them, ${summaries} summaries, ${payloads} files.`;
  process.stdout.write(`${asJson ? JSON.stringify(counts) : line}\n`);
}
