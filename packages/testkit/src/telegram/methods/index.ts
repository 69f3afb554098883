/** All methods the fake carries out, by name. */
import type { Handler } from '../server-state.ts';
import { accountMethods } from './account.ts';
import { commandMethods } from './commands.ts';
import { editMethods } from './edit.ts';
import { messageActionMethods } from './message-actions.ts';
import { sendMethods } from './send.ts';
import { updateMethods } from './updates.ts';

/** Methods by name; a method of the schema that is not here is refused with a violation. */
export const handlers: Readonly<Record<string, Handler>> = {
  ...accountMethods,
  ...commandMethods,
  ...editMethods,
  ...messageActionMethods,
  ...sendMethods,
  ...updateMethods,
};
