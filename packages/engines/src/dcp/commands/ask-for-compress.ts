import type { EngineCommandEnd } from '@palimpsest/core';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { helpText } from './help-text.ts';

/** /dcp compress [focus]: the next request says so once, and one call is allowed, whatever the mode. */
export function askForCompress({ desk }: CommandGround, argument: string): EngineCommandEnd {
  if (desk.config.compress.permission === 'deny') return helpText({ desk });
  const focus = argument.trim() === '' ? null : argument.trim();
  return changeEnd(
    desk,
    'With your next message the model is asked to condense finished parts first. That counts for one time.',
    { grant: { focus, isShown: false } },
  );
}
