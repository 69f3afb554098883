import type { EngineCommandEnd } from '@palimpsest/core';
import type { CommandGround } from './command-ground.ts';

const always = [
  '/dcp context — what fills the context, by kind',
  '/dcp stats — what condensing has saved',
  '/dcp sweep [n] — clear the output of the tool calls since your last message, or of the last n',
  '/dcp decompress [n] — show a condensed part in full again; without a number the list',
  '/dcp recompress [n] — take that back; without a number the list',
];
const withTool = [
  '/dcp compress [topic] — have the model condense finished parts at its next step, the topic kept in detail',
  '/dcp manual [on|off] — whether it condenses only when you ask',
];

/** The parts of /dcp and whether the model condenses by itself. */
export function helpText({ desk }: Pick<CommandGround, 'desk'>): EngineCommandEnd {
  const { permission } = desk.config.compress;
  if (permission === 'deny')
    return { text: [...always, 'The model cannot condense here; the operator switched it off.'].join('\n') };
  const mode =
    permission === 'ask' || desk.state.manualMode
      ? 'It condenses only when you ask for it.'
      : 'It condenses finished parts by itself.';
  return { text: [...withTool, ...always, mode].join('\n') };
}
