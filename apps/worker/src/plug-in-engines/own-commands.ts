import type { ContextEngine, EngineCommand, EngineCommandEnd } from '@palimpsest/core';
import { commandList, sayIn } from '@palimpsest/turn';
import type { Attempts } from './attempts.ts';
import { isObject } from './judge-answers.ts';
import { ownState } from './own-state.ts';

/** A command has this long; it may call a model. */
const commandMs = 120_000;
const commandName = /^[a-z0-9_]{1,32}$/;

/** The chat commands of a plug-in that have a name of their own; each answers, whatever happens in it. */
export function ownCommands(engine: ContextEngine, attempts: Attempts): readonly EngineCommand[] {
  const commands = attempts.now<readonly EngineCommand[]>({
    member: 'commands',
    ask: () => engine.commands(),
    isSound: (answer) => Array.isArray(answer) && answer.every(isCommand),
    instead: () => [],
  });
  return commands
    .filter(({ name }) => isFree(name, attempts))
    .map((command) => guarded(command, engine, attempts));
}

function isCommand(command: unknown): boolean {
  return (
    isObject(command) && commandName.test(String(command['name'])) && typeof command['run'] === 'function'
  );
}

function isTexts(translations: unknown): translations is Record<string, string> {
  return isObject(translations) && Object.values(translations).every((text) => typeof text === 'string');
}

function isFree(name: string, attempts: Attempts): boolean {
  const isTaken = commandList.some((command) => command.name === name);
  if (isTaken) attempts.tell(`/${name}`, 'there is a command of this name already; it was left out');
  return !isTaken;
}

function guarded(command: EngineCommand, engine: ContextEngine, attempts: Attempts): EngineCommand {
  const { name, description, translations } = command;
  return {
    name,
    description,
    ...(isTexts(translations) ? { translations } : {}),
    async run(argument, view, language) {
      const end = await attempts.later<EngineCommandEnd>(commandMs, {
        member: `/${name}`,
        ask: () => command.run(argument, view, language),
        isSound: (answer) => isObject(answer) && typeof answer['text'] === 'string',
        instead: () => Promise.resolve({ text: sayIn({ language })('commandFailed') }),
      });
      const stateChange = ownState(end.stateChange, engine.name, (member, problem) =>
        attempts.tell(member, problem),
      );
      return {
        text: end.text,
        ...(stateChange ? { stateChange } : {}),
        ...(end.plan ? { plan: end.plan } : {}),
      };
    },
  };
}
