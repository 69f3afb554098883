import type { EngineCommand, EngineCommandEnd, ModelInfo } from '@palimpsest/core';
import { english } from '../../words/english.ts';
import { sayIn, translationsOf } from '../../words/say.ts';
import type { DcpDesk } from '../state/desk.ts';
import { askForCompress } from './ask-for-compress.ts';
import type { CommandGround } from './command-ground.ts';
import { contextText } from './context-text.ts';
import { decompress } from './decompress.ts';
import { helpText } from './help-text.ts';
import { manualMode } from './manual-mode.ts';
import { recompress } from './recompress.ts';
import { statsText } from './stats-text.ts';
import { sweep } from './sweep.ts';

type Part = (ground: CommandGround, argument: string) => EngineCommandEnd | Promise<EngineCommandEnd>;

const parts: Readonly<Record<string, Part>> = {
  context: contextText,
  stats: statsText,
  sweep,
  manual: manualMode,
  compress: askForCompress,
  decompress,
  recompress,
  help: helpText,
};

/** /dcp and its parts; without one, or with an unknown one, the list of them. Answers never reach the model. */
export function dcpCommand(desk: DcpDesk, model: () => ModelInfo): EngineCommand {
  return {
    name: 'dcp',
    description: english.dcpAbout,
    translations: translationsOf('dcpAbout'),
    async run(argument, view, language) {
      const [word = '', ...rest] = argument.trim().split(/\s+/);
      const name = word.toLowerCase();
      const part = Object.hasOwn(parts, name) ? parts[name]! : helpText;
      const end = await part({ desk, view, model: model(), say: sayIn(language) }, rest.join(' '));
      const json = end.stateChange?.json;
      if (json) desk.apply(json as Parameters<DcpDesk['apply']>[0]);
      return end;
    },
  };
}
