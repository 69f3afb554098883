import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addAccessCommands } from './commands/access.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addConfigCommands } from './commands/config.ts';
import { addDeadCommands } from './commands/dead.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEngineCommands } from './commands/engine.ts';
import { addPersonCommands } from './commands/erase.ts';
import { addImportCommand } from './commands/import.ts';
import { addLedgerCommand } from './commands/ledger.ts';
import { addQueueCommand } from './commands/queue.ts';
import { addReplayCommand } from './commands/replay.ts';
import { exitCodeLines } from './exit-codes.ts';
import { addRunCommands } from './commands/run.ts';
import { addSessionCommands } from './commands/session.ts';

/** The `palimpsest` command; each file of commands/ adds its own. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('palimpsest')
    .description(
      'A chat gateway for Telegram and Discord that compacts its context in place and forgets nothing',
    )
    .version(versionOf(), '--version', 'the version of this program')
    .showHelpAfterError('(--help shows what is possible)')
    .addHelpText(
      'after',
      `\nEvery command takes --json. Exit codes:\n${exitCodeLines.map((line) => `  ${line}\n`).join('')}`,
    )
    .exitOverride();
  addRunCommands(program, context);
  addSessionCommands(program, context);
  addPersonCommands(program, context);
  addAccessCommands(program, context);
  addConfigCommands(program, context);
  addEngineCommands(program, context);
  addLedgerCommand(program, context);
  addQueueCommand(program, context);
  addDeadCommands(program, context);
  addBackupCommands(program, context);
  addImportCommand(program, context);
  addDoctorCommand(program, context);
  addReplayCommand(program, context);
  return program;
}

/** As the package at the top of the repository has it. */
function versionOf(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
