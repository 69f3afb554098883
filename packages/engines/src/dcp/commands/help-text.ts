import type { EngineCommandEnd } from '@palimpsest/core';
import type { CommandGround } from './command-ground.ts';

const withTool = ['dcpHelpCompress', 'dcpHelpManual'] as const;
const always = [
  'dcpHelpContext',
  'dcpHelpStats',
  'dcpHelpSweep',
  'dcpHelpDecompress',
  'dcpHelpRecompress',
] as const;

/** The parts of /dcp and whether the model condenses by itself. */
export function helpText({ desk, say }: Pick<CommandGround, 'desk' | 'say'>): EngineCommandEnd {
  const { permission } = desk.config.compress;
  const isOnlyAsked = permission === 'ask' || desk.state.manualMode;
  const lines =
    permission === 'deny'
      ? ([...always, 'dcpDenied'] as const)
      : ([...withTool, ...always, isOnlyAsked ? 'dcpWhenAsked' : 'dcpByItself'] as const);
  return { text: lines.map((line) => say(line)).join('\n') };
}
