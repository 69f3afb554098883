import type { CompactionPlan, EngineCommand, EngineCommandEnd, TranscriptView } from '@palimpsest/core';
import { sayIn, translationsOf, type Say } from '../words/say.ts';
import { english } from '../words/english.ts';

export interface CommandGround {
  statusLines(view: TranscriptView, say: Say): Promise<readonly string[]>;
  doctorLines(view: TranscriptView, say: Say): Promise<readonly string[]>;
  /** Null when nothing could be written better; a text says why it cannot be tried. */
  repair(view: TranscriptView, say: Say): Promise<CompactionPlan | null | string>;
}

/** /lcm in a chat: words of ours only, never part of the context. */
export function lcmCommand(ground: CommandGround): EngineCommand {
  return {
    name: 'lcm',
    description: english.lcmAbout,
    translations: translationsOf('lcmAbout'),
    run: (argument, view, language) =>
      run(argument.trim().toLowerCase().replace(/\s+/g, ' '), { view, ground, say: sayIn(language) }),
  };
}

async function run(
  argument: string,
  { view, ground, say }: { view: TranscriptView; ground: CommandGround; say: Say },
): Promise<EngineCommandEnd> {
  switch (argument) {
    case '':
    case 'status':
      return { text: (await ground.statusLines(view, say)).join('\n') };
    case 'doctor':
      return { text: (await ground.doctorLines(view, say)).join('\n') };
    case 'doctor apply':
      return repaired(await ground.repair(view, say), say);
    case 'help':
      return { text: helpText(say) };
    default: {
      const name = JSON.stringify(argument.slice(0, 40));
      return { text: `${say('lcmNoPart', { name })}\n${helpText(say)}` };
    }
  }
}

function helpText(say: Say): string {
  const lines = ['lcmHelpStatus', 'lcmHelpDoctor', 'lcmHelpApply', 'lcmHelpHelp'] as const;
  return lines.map((line) => say(line)).join('\n');
}

function repaired(plan: CompactionPlan | null | string, say: Say): EngineCommandEnd {
  if (typeof plan === 'string') return { text: plan };
  return plan === null ? { text: say('lcmNoBetter') } : { text: say('lcmRewritten'), plan };
}
