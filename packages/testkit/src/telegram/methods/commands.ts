/** setMyCommands, getMyCommands, deleteMyCommands. */
import { badRequest } from '../api-error.ts';
import { method, type BotCommand, type Handler, type ServerState } from '../server-state.ts';

const MOST_COMMANDS = 100;
const LONGEST_DESCRIPTION = 256;

/** For whom a menu is meant. */
export interface CommandScope {
  readonly type: string;
  readonly chat_id?: number | string;
  readonly user_id?: number;
}

interface ScopeParams {
  readonly scope?: CommandScope;
  readonly language_code?: string;
}

/** The key of a menu in the state. */
export function commandKey(scope: CommandScope = { type: 'default' }, languageCode = ''): string {
  return [scope.type, scope.chat_id ?? '', scope.user_id ?? '', languageCode].join('/');
}

/** Methods of the command menu. */
export const commandMethods: Record<string, Handler> = {
  setMyCommands: method<ScopeParams & { commands: BotCommand[] }>((state, params) => {
    checkScope(state, params);
    if (params.commands.length > MOST_COMMANDS) throw badRequest('BOT_COMMANDS_TOO_MUCH');
    for (const command of params.commands) checkCommand(command);
    state.commands.set(commandKey(params.scope, params.language_code), params.commands);
    return true;
  }),

  getMyCommands: method<ScopeParams>((state, params) => {
    checkScope(state, params);
    return state.commands.get(commandKey(params.scope, params.language_code)) ?? [];
  }),

  deleteMyCommands: method<ScopeParams>((state, params) => {
    checkScope(state, params);
    state.commands.delete(commandKey(params.scope, params.language_code));
    return true;
  }),
};

function checkScope(state: ServerState, { scope, language_code: language }: ScopeParams): void {
  if (scope?.chat_id !== undefined) state.chats.find(scope.chat_id);
  if (language !== undefined && !/^([a-z]{2})?$/.test(language)) throw badRequest('LANG_CODE_INVALID');
}

function checkCommand({ command, description }: BotCommand): void {
  if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
  const length = [...description.trim()].length;
  if (length < 1 || length > LONGEST_DESCRIPTION) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
}
