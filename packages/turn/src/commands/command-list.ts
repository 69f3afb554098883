/**
 * The chat commands, for /help and for the platforms' menus. Names [a-z0-9_]{1,32}. All but three wait their turn in the
 * mailbox and are run by run-command.ts; /stop, /status and /queue are signals, which reach a turn that is running.
 */
export interface ChatCommand {
  name: string;
  description: string;
  /** For menus, where the description is too long for them: 100 characters at most. */
  brief?: string;
  /** What may follow the name; left out: nothing. */
  argument?: string;
  /** Works only in direct messages. */
  directOnly?: boolean;
}

export const commandList: readonly ChatCommand[] = [
  {
    name: 'new',
    description:
      'go on with this conversation in a fresh chapter; older lines are set aside for the model and stay searchable',
    brief: 'go on in a fresh chapter; older lines stay searchable',
  },
  {
    name: 'reset',
    description: 'end this session and begin another one with a new id; its lines stay searchable',
  },
  { name: 'stop', description: 'stop the answer being written' },
  { name: 'status', description: 'how full the context is, and what runs' },
  {
    name: 'queue',
    description:
      'what waits behind the answer being written; with a mode (collect, followup, interrupt, steer, default): what becomes of it',
    brief: 'what waits behind the answer being written; add a mode to choose what becomes of it',
    argument: 'collect, followup, interrupt, steer or default',
  },
  {
    name: 'compress',
    description: 'condense older parts now; add a topic to keep it in detail, or --preview to only look',
    argument: 'a topic to keep in detail, or --preview',
  },
  {
    name: 'model',
    description: 'models to choose from; with a name: answer this session with it; default: back',
    argument: 'name of a model, or default',
  },
  {
    name: 'undo',
    description: 'take the last exchange back; with a number: the last so many',
    argument: 'how many exchanges',
  },
  { name: 'retry', description: 'have your last message answered again' },
  { name: 'undo_compaction', description: 'take the last condensing back' },
  {
    name: 'engine',
    description: 'which engine keeps the context small here; add a name to choose another, or default',
    argument: 'name of an engine, or default',
  },
  { name: 'usage', description: 'tokens and cost of the last answer, of this conversation and of your day' },
  { name: 'context', description: "what fills the model's window, by part" },
  {
    name: 'title',
    description: 'what this conversation is called; add a text to name it',
    argument: 'the new title',
  },
  {
    name: 'sessions',
    description: 'conversations here, newest first; add words to look for a title',
    argument: 'words of a title',
  },
  {
    name: 'resume',
    description: 'go on with another of your conversations: its number, id or title',
    argument: 'number, id or title',
    directOnly: true,
  },
  {
    name: 'link',
    description:
      'one code that makes your accounts on Telegram and Discord one person, so that a conversation goes on from one to the other',
    brief: 'go on with this conversation from your account elsewhere',
    argument: 'the code, where the conversation is to go on',
    directOnly: true,
  },
  { name: 'unlink', description: 'part this account from your others again', directOnly: true },
  {
    name: 'forget',
    description: 'erase everything that is known of you, after a confirmation',
    argument: 'the words of the confirmation',
    directOnly: true,
  },
  { name: 'whoami', description: 'your ids, for the operator' },
  { name: 'help', description: 'this list' },
];
