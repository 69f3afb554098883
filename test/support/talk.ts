/** A person and a bot that say long lines to each other, through the whole main path. */
import type { ModelScript, ScriptRequest } from '@palimpsest/testkit';
import type { TurnWorld } from './turn-world.ts';

/** About 330 tokens. */
const longText = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(
  18,
);

/** Answers begin with "Noted" and are as long as what was said; every request is kept in `prompts`. */
export function answering(prompts: ScriptRequest[] = []): ModelScript {
  return (request) => {
    prompts.push(request);
    return { text: `Noted, number ${prompts.length}. ${longText}` };
  };
}

export const isAnswer = (text: string): boolean => text.startsWith('Noted');

/** Say so many lines, each after the answer to the one before; notices in between do not count. */
export async function talk(world: TurnWorld, lines: number): Promise<void> {
  const before = (await world.heard()).filter(isAnswer).length;
  for (let line = 1; line <= lines; line++) {
    await world.say(`Line ${before + line}. ${longText}`);
    await world.hear(before + line, isAnswer);
  }
}

/** Say a command and give the notice that answers it. */
export async function ask(world: TurnWorld, command: string): Promise<string> {
  const isNotice = (text: string): boolean => !isAnswer(text);
  const before = (await world.heard()).filter(isNotice).length;
  await world.say(command);
  return (await world.hear(before + 1, isNotice)).at(-1)!;
}
