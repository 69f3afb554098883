import type { CommandWords } from './command-words.ts';

export const englishCommands: CommandWords = {
  language: 'en',
  messageForms: 'message|messages',
  conversationForms: 'conversation|conversations',
  busyCollect:
    'I am still writing. What you send meanwhile is answered together, right after; /stop ends the answer.',
  busyFollowup:
    'I am still writing. What you send meanwhile is answered one by one, right after; /stop ends the answer.',
  busySteer:
    'I am at it. What you send meanwhile reaches me at my next step, else it is answered right after.',
  mailboxFull:
    'Too many messages wait here already, so this one was not taken, nor is what follows. Please send it again once I have answered.',
  pairingUnknown: 'I do not know you yet, so I did not read your message.',
  pairingCode: 'If the operator of this bot is to let you in, give them this code: {code}',
  pairingHow:
    '(for them: palimpsest access approve CODE). It works once, for an hour. Then write to me again.',
  mediaTooLarge:
    'That file is too large for me: I can take up to {limit}. Please send a smaller one, or the part that matters.',
  mediaLost: 'I could not fetch that file. Please send it again.',
  queueCollect: 'what you send meanwhile is answered together, right after',
  queueFollowup: 'what you send meanwhile is answered one by one, right after',
  queueInterrupt: 'a new message stops the answer and is answered at once',
  queueSteer: 'what you send meanwhile reaches the answer at its next step, else it is answered right after',
  queueMode: 'While I write, {what} ({mode}, {why}).',
  bySetting: 'as the service is set',
  chosenHere: 'chosen for this conversation',
  queueNoMode:
    'There is no mode {mode}; nothing is changed. There are: {modes}; default goes back to the setting of the service.',
  queueAdminsOnly:
    'In a group only the operators of this bot change what becomes of messages that wait; nothing is changed.',
  answerRuns: 'An answer is being written; /stop ends it.',
  noAnswerRuns: 'Nothing is running.',
  nothingWaits: 'Nothing waits.',
  oneWaits: '{what} waits, the oldest for {time}.',
  severalWait: '{what} wait, the oldest for {time}.',
  and: 'and',
  operatorsOnly: '/{name} is for the operators of this bot; nothing is changed.',
  noCommand: 'There is no command /{name}.',
  newChapter: 'A new chapter begins.',
  newChapterKept: 'A new chapter begins. What was said before stays searchable.',
  chapterNotClosed: 'The chapter could not be closed ({reason}).',
  freshConversation: 'A fresh conversation begins.',
  noTitle: 'This conversation has no title yet; /title TEXT gives it one.',
  titleIs: 'This conversation is called {title}; /title TEXT gives it another title.',
  titleTooLong: 'A title has at most {limit} characters; this one has {count}.',
  titleTaken: 'Another conversation here is called {title} already; please choose another title.',
  titleGiven: 'This conversation is called {title} from now on.',
  noSuchTitle: 'No conversation here has {words} in its title or id.',
  moreSessions: '… and {count} more; /sessions WORDS looks for a title.',
  resumeHow: '/resume NUMBER goes on with one of them.',
  nothingSaid: 'nothing said yet',
  thisOne: 'this one',
  ago: '{time} ago',
  resumeDirectOnly:
    '/resume works only in direct messages with the bot: a conversation never moves between a group and a person.',
  inAlready: 'This chat is in {name} already.',
  goesOnWith:
    'This chat goes on with {name} ({messages}). /resume {id} goes back; nothing of either is lost.',
  sessionsHow: '/sessions shows them; /resume takes a number of that list, an id or a title.',
  whichOne: 'Which one?',
  noNumber: 'There is no number {number}.',
  fitsSeveral: 'That fits {conversations}.',
  noConversation: 'There is no such conversation here.',
  retryPeopleOnly: 'Only people in the chat can have their message answered again.',
  retryNothing: 'There is nothing to answer again.',
  retryCondensed:
    'What was said last is told in a summary, so it cannot be answered again. Please write it once more.',
  retryNotYours: 'The last message here is not yours; whoever wrote it can have it answered again.',
  retried: 'Your last message is answered again; the answer before no longer counts.',
  undoArgument: '/undo takes a whole number from 1 to {most}, such as /undo 2.',
  undoAtSummary:
    'What was said before is told in a summary, so it cannot be taken back piece by piece. /undo_compaction brings it back word for word first.',
  undoNothing: 'There is nothing to take back.',
  undoneOne: 'Taken back: the last exchange ({messages}). The model no longer reads or finds it.',
  undoneMany: 'Taken back: the last {count} exchanges ({messages}). The model no longer reads or finds it.',
  undoNotAll: ' Not {count}: what was said before is told in a summary.',
  undoNoMore: ' There were no more than that.',
  backNone: 'There is no condensing to take back.',
  backRotated:
    'Condensing moved this conversation to a new session (compression.in_place is false), so it cannot be taken back. What was said before stays searchable.',
  backOtherEngine:
    'The last condensing was done by the engine {engine}, which keeps a state of its own; it cannot be taken back this way.',
  backTooBig:
    'It cannot be taken back: the conversation would have about {tokens} tokens again, and at most {limit} fit the model with room for an answer. What was said before stays searchable.',
  backSummaries: 'earlier summaries stand again as they did',
  backMessages: '{count} messages are in the conversation again, word for word',
  backDone: 'Taken back: {what}; about {before} → {after} tokens. {next}',
  backNearlyFull: 'It fills most of what the model can take, so the next message will condense it again.',
  backResting: 'It is not condensed again before it has grown.',
  linkDirectOnly: 'Accounts are linked only in direct messages with the bot: nobody else may see the code.',
  linkNotLocal:
    'The local web chat belongs to whoever runs this bot; only accounts of Telegram and Discord are linked.',
  linkNotHere: 'Accounts cannot be linked here.',
  linkSend: 'Send me this in a direct message from your other account, within an hour: /link {code}',
  linkWarning:
    'That chat then goes on with this conversation. Whoever has the code can read what is said here, so show it to nobody.',
  linked:
    'Linked with your account on {platform}. This chat goes on with the conversation from there; /sessions shows those of both, /unlink parts them again.',
  linkOwnCode: 'That code is your own. Send it to me from your other account.',
  linkLocked: 'There were too many wrong codes. Try again in {minutes} minutes.',
  linkFifthWrong:
    'That code is wrong or older than an hour, and it was the fifth in a row. Try again in an hour.',
  linkWrong: 'That code is wrong or older than an hour. Send /link from your other account for a new one.',
  unlinked:
    'This account is on its own again. A conversation that was shared stays where it began; the other side begins a new one with its next message.',
  notLinked: 'This account is linked with no other. /link gives a code for that.',
  forgetDirectOnly: 'Please send /forget to me in a direct chat.',
  forgetAsk:
    'This erases everything I know of you, in this chat and in groups: what you said, summaries of it, files, and who you are. It cannot be taken back. To go on send /forget {code} within 10 minutes.',
  forgetWrong: 'That code is wrong or older than 10 minutes. Send /forget for another one.',
  forgotten:
    'Erased: {messages} messages in {sessions} conversations, {quotes} quotes of them, {summaries} summaries, {files} files. I know nothing of you any more but the address of this chat.',
  whoami: 'You are {user} on {platform}, bot account {account}, chat {chat}{thread} ({kind}).',
  youAreAdmin: ' You are an admin here.',
  linkedWith: ' Linked with {accounts}.',
  engineUnknown: 'There is no context engine {name}. {names}',
  engineAlready: 'This conversation runs on {name} already.',
  engineSame: 'This conversation runs on {name}{why}; nothing changes.',
  engineFromNext:
    'From the next message on this conversation runs on {name}{why}. The model then reads it once at the full price.',
  asServiceSet: ', as the service is set',
  engineIs: 'This conversation runs on the context engine {engine}.{change} It is {why}. {names}',
  engineNext: ' From the next message on: {name}.',
  serviceSetting: 'the setting of the service',
  engineNames: 'There are: {names}.',
  engineHow: '/engine NAME chooses one, /engine default goes back to the setting of the service.',
  condensedNow:
    'Condensed: {rowsBefore} → {rowsAfter} messages, about {before} → {after} tokens.{how} Older lines stay searchable.',
  condensedPlain: ' The summary model failed, so a plain local summary stands in its place.',
  condenseAsked: 'With your next message the model is asked to condense finished parts first.',
  asItWas: '{why} The conversation is as it was.',
  unchangedRecent:
    'Nothing to condense yet: everything that stands in the conversation is recent, or a summary already.',
  unchangedModelAsked:
    'The model condenses this conversation itself; /compress asks it to with your next message.',
  unchangedOff: 'Condensing is switched off here; the operator can change that.',
  unchangedShort: 'Nothing to condense yet: the conversation is still short.',
  unchangedResting:
    'The last attempt did not work out, and a short rest after it is not over. Please try again in a few minutes.',
  unchangedBreaker:
    'Condensing did not help the last two times, so it rests for now. Please try again in a few minutes.',
  unchangedTooOften:
    'This conversation was condensed very often within the last hour. Please try again later.',
  unchangedTimeout: 'The summary took too long to write. Please try again in a little while.',
  unchangedBusy:
    'The model that writes summaries is busy or could not be reached. Please try again in a little while.',
  unchangedSetup:
    'The model that writes summaries cannot be used as it is set up. The operator can see why in the log.',
  unchangedSmall: 'The model that writes summaries is too small to read the older part of this conversation.',
  unchangedUnusable: 'The model wrote no summary that could be used. Please try again.',
  unchangedMoved: 'The conversation changed in the meantime. Please try again.',
  unchangedStopped: 'Condensing was stopped.',
  unchangedFailed: 'Condensing did not work out this time. The operator can see why in the log.',
};
