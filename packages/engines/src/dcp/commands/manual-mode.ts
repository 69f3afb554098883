import type { EngineCommandEnd } from '@palimpsest/core';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { helpText } from './help-text.ts';

const texts = { on: 'dcpManualOn', off: 'dcpManualOff' } as const;

/** /dcp manual [on|off]: kept with the session; without a word what is set. */
export function manualMode({ desk, say }: CommandGround, argument: string): EngineCommandEnd {
  if (desk.config.compress.permission === 'deny') return helpText({ desk, say });
  const word = argument.trim().toLowerCase();
  const now = desk.state.manualMode ? 'on' : 'off';
  if (word !== 'on' && word !== 'off') return { text: `${say(texts[now])} ${say('dcpManualHow')}` };
  if (word === now) return { text: say(texts[word]) };
  return changeEnd(desk, say(texts[word]), {
    manualMode: word === 'on',
    events: [{ kind: 'manual', detail: { mode: word } }],
  });
}
