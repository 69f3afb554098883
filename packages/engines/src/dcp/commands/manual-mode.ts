import type { EngineCommandEnd } from '@palimpsest/core';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { helpText } from './help-text.ts';

const texts = {
  on: 'Manual mode is on: the model condenses only after /dcp compress.',
  off: 'Manual mode is off: the model condenses finished parts by itself.',
};

/** /dcp manual [on|off]: kept with the session; without a word what is set. */
export function manualMode({ desk }: CommandGround, argument: string): EngineCommandEnd {
  if (desk.config.compress.permission === 'deny') return helpText({ desk });
  const word = argument.trim().toLowerCase();
  const now = desk.state.manualMode ? 'on' : 'off';
  if (word !== 'on' && word !== 'off') return { text: `${texts[now]} (/dcp manual on or off changes it.)` };
  if (word === now) return { text: texts[word] };
  return changeEnd(desk, texts[word], {
    manualMode: word === 'on',
    events: [{ kind: 'manual', detail: { mode: word } }],
  });
}
