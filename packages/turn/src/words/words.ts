import type { CommandWords } from './commands/command-words.ts';

/**
 * What the service says to people of its own accord, in one language: short, plain, no settings, no numbers of ours.
 * `{name}` stands for what is filled in; a translation has the same ones as the English text.
 */
export interface Words extends CommandWords {
  /** Descriptions of the chat commands in the platforms' menus, by name, 1 to 100 characters. English: those of /help. */
  menu: Readonly<Record<string, string>>;
  failedOverflow: string;
  failedBusy: string;
  /** until: forMinutes or forHours, or nothing. */
  failedQuota: string;
  forMinutes: string;
  forHours: string;
  failedSetup: string;
  failedUnreachable: string;
  failedRefused: string;
  failedStopped: string;
  messageKept: string;
  /** Stands behind what a command says, as droppedMany does. */
  droppedOne: string;
  droppedMany: string;
  stopped: string;
  interrupted: string;
  stopping: string;
  nothingRuns: string;
  answerIsOver: string;
  buried: string;
  /** Stands behind an answer. */
  cut: string;
  timedOut: string;
  condensing: string;
  condensed: string;
  condensedLocally: string;
  notCondensed: string;
  mainTookOver: string;
  fellBack: string;
  cameBack: string;
  fullPrice: string;
  becauseOverflow: string;
  becauseBusy: string;
  becauseQuota: string;
  becauseSetup: string;
  becauseUnreachable: string;
  answersUsedUp: string;
  budgetUsedUp: string;
  botBudgetUsedUp: string;
  answersNearlyUsed: string;
  budgetNearlyUsed: string;
  botBudgetNearlyUsed: string;
  /** Of a file that the answer wanted to send: name, size, limit. */
  fileTooLarge: string;
  fileNotTaken: string;
}
