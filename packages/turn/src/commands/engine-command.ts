import type { ClaimedSession } from '../claimed-session.ts';

/** Goes back to what the configuration says. */
const defaultWord = 'default';

/** /engine [name]: which context engine this session runs on; a name chooses another from the next message on. */
export async function engineCommand(claimed: ClaimedSession, argument: string): Promise<string> {
  const name = argument.trim();
  const { session, deps } = claimed;
  if (name === '') return shownText(claimed);
  if (name === defaultWord) return choose(claimed, undefined);
  if (deps.findEngine(name).factory.name !== name)
    return `There is no context engine ${JSON.stringify(name.slice(0, 40))}. ${namesText(claimed)}`;
  if (name === session.engine && name === session.wantedEngine)
    return `This conversation runs on ${name} already.`;
  return choose(claimed, name);
}

async function choose(claimed: ClaimedSession, name: string | undefined): Promise<string> {
  const { deps, session } = claimed;
  const next = name ?? deps.config.context.engine;
  claimed.change({ wantedEngine: name });
  await deps.store.turns.patchSession(claimed.lease, claimed.takePatch());
  const why = name === undefined ? ', as the service is set' : '';
  if (next === session.engine) return `This conversation runs on ${next}${why}; nothing changes.`;
  return `From the next message on this conversation runs on ${next}${why}. The model then reads it once at the full price.`;
}

function shownText(claimed: ClaimedSession): string {
  const { engine, wantedEngine } = claimed.session;
  const why = wantedEngine === undefined ? 'the setting of the service' : 'chosen for this conversation';
  const next = wantedEngine ?? claimed.deps.config.context.engine;
  const change = next === engine ? '' : ` From the next message on: ${next}.`;
  return `This conversation runs on the context engine ${engine}.${change} It is ${why}. ${namesText(claimed)}`;
}

function namesText({ deps }: ClaimedSession): string {
  const names = deps.engineNames?.join(', ') ?? '';
  const known = names === '' ? '' : `There are: ${names}. `;
  return `${known}/engine NAME chooses one, /engine ${defaultWord} goes back to the setting of the service.`;
}
