export { LocalListener, localAccount, normaliseLocal, type LocalMessage } from './local/local-listener.ts';
export { LocalSender } from './local/local-sender.ts';
export { parseCommand } from './parse-command.ts';
