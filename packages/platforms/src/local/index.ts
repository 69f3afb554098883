export { LocalListener, localAccount, normaliseLocal, type LocalMessage } from './local-listener.ts';
export { LocalSender } from './local-sender.ts';
