import {
  budgetsOf,
  budgetWords,
  hasBudget,
  GatewayError,
  type Command as ChatCommand,
  type OperatorAct,
} from '@palimpsest/core';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { operator } from '../operator.ts';
import { askWorker } from '../session/ask-worker.ts';
import { earlyLines, explainCompaction, explanationLines } from '../session/explain.ts';
import { addEraseSessionCommand } from './erase.ts';
import { addExportCommand } from './export.ts';
import {
  ledgerLine,
  overviewLine,
  holdLines,
  overviewLines,
  spendingLine,
  windowLine,
  previewLines,
  rowLine,
} from '../session/lines.ts';
import { print } from '../print.ts';
import { previewSession } from '../session/preview.ts';
import { withStore, withStoreAndQueue } from '../with-store.ts';

interface Flags {
  json?: boolean;
}

const json = ['--json', 'one JSON object'] as const;
const shownCompactions = 10;

/** session list | show | context | preview | export | compact | undo-compaction | erase: what operators see of a session and do to it. */
export function addSessionCommands(program: Command, context: CliContext): void {
  const session = program
    .command('session')
    .description('look at sessions, compact one, take a compaction back, export or erase one');
  addReading(session, context);
  addExportCommand(session, context);
  addChanging(session, context);
  addEraseSessionCommand(session, context);
}

function addReading(session: Command, context: CliContext): void {
  session
    .command('list')
    .description('sessions with their size, newest activity first')
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .addOption(
      new Option('--order <order>', 'newest activity, fullest context or highest cost first')
        .choices(['activity', 'context', 'cost'])
        .default('activity'),
    )
    .option(
      '--search <words>',
      'only those with these words in the title, this chat, or this end of an id',
      '',
    )
    .option(...json)
    .action((flags: ListFlags) => list(context, flags));
  session
    .command('show <session>')
    .description('one session and its newest compactions')
    .option(...json)
    .action((id: string, flags: Flags) => show(context, id, flags));
  session
    .command('context <session>')
    .description('the messages the model reads now, with their sizes')
    .option('--text', 'with the beginning of each text')
    .option(...json)
    .action((id: string, flags: Flags & { text?: boolean }) => showContext(context, id, flags));
  session
    .command('explain <session>')
    .description('why it is condensed now or not: sizes, thresholds, cooldown, streaks, breakers')
    .option(...json)
    .action((id: string, flags: Flags) => explain(context, id, flags));
  session
    .command('preview <session>')
    .description('what a compaction would do now; nothing is changed and no model is asked')
    .option('--focus <text>', 'what to keep in detail')
    .option(...json)
    .action((id: string, flags: Flags & { focus?: string }) => preview(context, id, flags));
}

function addChanging(session: Command, context: CliContext): void {
  session
    .command('compact <session>')
    .description('condense older messages now, by the worker')
    .option('--focus <text>', 'what to keep in detail', '')
    .option('--wait <seconds>', 'how long to wait for the worker', wholeNumber, 120)
    .option(...json)
    .action((id: string, flags: ChangeFlags & { focus: string }) =>
      change(context, id, { ...flags, act: 'compact', command: { name: 'compress', argument: flags.focus } }),
    );
  session
    .command('undo-compaction <session>')
    .description('bring back what the newest compaction put away, by the worker')
    .option('--wait <seconds>', 'how long to wait for the worker', wholeNumber, 120)
    .option(...json)
    .action((id: string, flags: ChangeFlags) =>
      change(context, id, {
        ...flags,
        act: 'undo_compaction',
        command: { name: 'undo_compaction', argument: '' },
      }),
    );
}

interface ListFlags extends Flags {
  limit: number;
  order: 'activity' | 'context' | 'cost';
  search: string;
}

interface ChangeFlags extends Flags {
  wait: number;
}

function list(context: CliContext, { limit, order, search, json: asJson }: ListFlags): Promise<void> {
  return withStore(context, async (store) => {
    const sessions = await store.operators.sessions({ limit, offset: 0, order, search: search.trim() });
    const none = search.trim() === '' ? 'No session yet.' : 'No session is called so.';
    const lines = sessions.length > 0 ? sessions.map(overviewLine) : [none];
    print(asJson, { sessions }, lines);
  });
}

function show(context: CliContext, id: string, flags: Flags): Promise<void> {
  return withStoreAndQueue(context, async (parts) => {
    const { store, settings } = parts;
    const session = (await store.operators.session(id)) ?? unknown(id);
    const compactions = await store.compactions.ledger({ sessionId: id, limit: shownCompactions });
    const spent = await store.usage.ofSession(id);
    const hold = await store.boards.sessionHold(id);
    const { windowTokens, windowSource, promptTokens, earlyWork } = (await explainCompaction(parts, id))
      .context;
    const window = { windowTokens, windowSource, promptTokens };
    const limits = settings.config.model.daily_budget;
    const budgets = hasBudget(limits) ? budgetsOf(limits, await store.usage.today({ sessionId: id })) : [];
    print(flags.json, { session, window, earlyWork, hold, spent, budgets, compactions }, [
      ...overviewLines(session),
      windowLine(window),
      ...earlyLines({ earlyWork }),
      ...(hold ? holdLines(hold) : []),
      spendingLine(spent),
      ...budgets.map((budget) => `budget      ${budgetWords(budget)}`),
      ...compactions.map(ledgerLine),
    ]);
  });
}

function showContext(context: CliContext, id: string, flags: Flags & { text?: boolean }): Promise<void> {
  return withStore(context, async (store) => {
    const session = (await store.operators.session(id)) ?? unknown(id);
    const rows = await store.transcript.liveRows(id);
    const shown = flags.text ? rows : rows.map(({ parts: _texts, ...header }) => header);
    const sum = `${rows.length} messages, about ${session.liveTokens.toLocaleString('en')} tokens`;
    print(flags.json, { session, rows: shown }, [
      ...rows.map((row) => rowLine(row, flags.text ?? false)),
      sum,
    ]);
  });
}

function explain(context: CliContext, id: string, flags: Flags): Promise<void> {
  return withStoreAndQueue(context, async (parts) => {
    const found = await explainCompaction(parts, id);
    print(flags.json, found, explanationLines(found));
  });
}

function preview(context: CliContext, id: string, flags: Flags & { focus?: string }): Promise<void> {
  return withStoreAndQueue(context, async (parts) => {
    const seen = await previewSession(parts, id, flags.focus);
    await parts.store.actions.note({ actor: operator(), act: 'preview', sessionId: id });
    print(flags.json, { sessionId: id, ...seen }, previewLines(seen));
  });
}

/** Exit code 1 when nothing was changed. */
function change(
  context: CliContext,
  id: string,
  wish: ChangeFlags & { command: ChatCommand; act: OperatorAct },
): Promise<void> {
  return withStoreAndQueue(context, async (parts) => {
    const answered = await askWorker(parts, id, { ...wish, waitMs: wish.wait * 1000 });
    const { text: answer, ledger: compaction } = answered;
    print(wish.json, { sessionId: id, answer, compaction }, [answer]);
    if (!compaction) process.exitCode = 1;
  });
}

function unknown(id: string): never {
  throw new GatewayError('row_missing', `there is no session ${id}; \`session list\` shows them.`);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number of at least 1.`);
}
