import { englishCommands } from './commands/english.ts';
import type { Words } from './words.ts';

export const english: Words = {
  ...englishCommands,
  failedOverflow:
    'This conversation no longer fits the model, even after condensing it. /new starts a new chapter; nothing is lost.',
  failedBusy: 'The model is busy and did not answer in time. Please write again in a little while.',
  failedQuota:
    "The model account's limit is used up{until}, so I cannot answer now. The operator has been told in the log.",
  forMinutes: ' for {count} minutes',
  forHours: ' for about {count} hours',
  failedSetup: 'The model could not be used as it is set up. The operator has been told in the log.',
  failedUnreachable: 'The model could not be reached or broke off. Please write again.',
  failedRefused: 'The model refused the request. The operator has been told in the log.',
  failedStopped: 'The answer was stopped.',
  messageKept: 'Your message is kept.',
  droppedOne: ' One waiting message was dropped.',
  droppedMany: ' {count} waiting messages were dropped.',
  stopped: 'Stopped.',
  interrupted: 'Stopped for your newer message.',
  stopping: 'The answer is being stopped.',
  nothingRuns: 'Nothing is running.',
  answerIsOver: 'That answer had already ended; nothing was stopped.',
  buried:
    'I could not finish an answer to your last message after several tries. It is kept; please send it again or rephrase it.',
  cut: '(the answer reached its length limit; say "go on" for more)',
  timedOut: 'The answer took too long and was ended. Say "go on" to continue.',
  condensing:
    'One moment: I am condensing the older part of our conversation before I answer. Nothing is lost.',
  condensed:
    'I condensed the older part of our conversation before answering. Nothing is lost: I can still look everything up.',
  condensedLocally:
    'Our conversation had become long, and its summary could not be written in time. I go on with a brief outline of the older part; nothing is lost, and I can still look everything up.',
  notCondensed:
    'I could not condense the older part of our conversation just now; it stays as it is. If answers get slow, send /compress to try again or /new to begin afresh.',
  mainTookOver:
    '{failed}, which writes my summaries, failed, so {wrote} wrote the newest one and read the older part of our conversation once more at full price. Nothing is lost.',
  fellBack: '{from} does not answer ({why}); {to} answers instead. {price}',
  cameBack: '{to} is tried again instead of {from}. {price}',
  fullPrice: 'It reads the whole conversation anew at full price, about {tokens} tokens.',
  becauseOverflow: 'the conversation no longer fits it, even after condensing',
  becauseBusy: 'it is busy',
  becauseQuota: "its account's limit is used up",
  becauseSetup: 'it cannot be used as it is set up',
  becauseUnreachable: 'it cannot be reached',
  answersUsedUp:
    'Your answers for today ({limit}) are used up. Counting starts anew at midnight UTC. Your message is kept.',
  budgetUsedUp:
    'Your budget for today ({limit}) is used up, so I cannot answer now. It starts anew at midnight UTC. Your message is kept.',
  botBudgetUsedUp:
    'The budget of this bot for today ({limit}) is used up, so I cannot answer now. It starts anew at midnight UTC. Your message is kept.',
  answersNearlyUsed: '{used} of your {limit} answers for today are used.',
  budgetNearlyUsed: '{used} of your budget for today ({limit}) is used; {left} is left.',
  botBudgetNearlyUsed: "{used} of this bot's budget for today ({limit}) is used; {left} is left.",
  fileTooLarge:
    'I have the file {name} for you, but it has {size}, and {limit} is the most that I can send here.',
  fileNotTaken: 'I have the file {name} for you, but it cannot be sent here.',
  menu: {},
};
