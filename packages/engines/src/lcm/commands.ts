import type { CompactionPlan, EngineCommand, EngineCommandEnd, TranscriptView } from '@palimpsest/core';

export interface CommandGround {
  statusLines(view: TranscriptView): Promise<readonly string[]>;
  doctorLines(view: TranscriptView): Promise<readonly string[]>;
  /** Null when nothing could be written better; a text says why it cannot be tried. */
  repair(view: TranscriptView): Promise<CompactionPlan | null | string>;
}

const help = [
  '/lcm status – how much is kept word for word, how much is summarised, what is owed',
  '/lcm doctor – what is wrong with the summaries of this chat',
  '/lcm doctor apply – weak summaries are written anew; the old ones are kept',
  '/lcm help – this list',
].join('\n');

/** /lcm in a chat: words of ours only, never part of the context. */
export function lcmCommand(ground: CommandGround): EngineCommand {
  return {
    name: 'lcm',
    description: 'state and repair of the summaries of this chat: status, doctor, doctor apply, help',
    run: (argument, view) => run(argument.trim().toLowerCase().replace(/\s+/g, ' '), view, ground),
  };
}

async function run(argument: string, view: TranscriptView, ground: CommandGround): Promise<EngineCommandEnd> {
  switch (argument) {
    case '':
    case 'status':
      return { text: (await ground.statusLines(view)).join('\n') };
    case 'doctor':
      return { text: (await ground.doctorLines(view)).join('\n') };
    case 'doctor apply':
      return repaired(await ground.repair(view));
    case 'help':
      return { text: help };
    default:
      return { text: `/lcm has no ${JSON.stringify(argument.slice(0, 40))}.\n${help}` };
  }
}

function repaired(plan: CompactionPlan | null | string): EngineCommandEnd {
  if (typeof plan === 'string') return { text: plan };
  if (plan === null) return { text: 'Nothing could be written better.' };
  return { text: 'Weak summaries were written anew; the old ones are kept beside them.', plan };
}
