import type { EngineCommandEnd } from '@palimpsest/core';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { helpText } from './help-text.ts';

/** /dcp compress [focus]: the next request says so once, and one call is allowed, whatever the mode. */
export function askForCompress({ desk, say }: CommandGround, argument: string): EngineCommandEnd {
  if (desk.config.compress.permission === 'deny') return helpText({ desk, say });
  const focus = argument.trim() === '' ? null : argument.trim();
  return changeEnd(desk, say('dcpAsked'), { grant: { focus, isShown: false } });
}
