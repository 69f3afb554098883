import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';

/** Goes back to what the configuration says. */
const defaultWord = 'default';

/** /engine [name]: which context engine this session runs on; a name chooses another from the next message on. */
export async function engineCommand(claimed: ClaimedSession, argument: string, say: Say): Promise<string> {
  const name = argument.trim();
  const { session, deps } = claimed;
  if (name === '') return shownText(claimed, say);
  if (name === defaultWord) return choose(claimed, undefined, say);
  if (deps.findEngine(name).factory.name !== name)
    return say('engineUnknown', {
      name: say('quoted', { text: name.slice(0, 40) }),
      names: namesText(claimed, say),
    });
  if (name === session.engine && name === session.wantedEngine) return say('engineAlready', { name });
  return choose(claimed, name, say);
}

async function choose(claimed: ClaimedSession, name: string | undefined, say: Say): Promise<string> {
  const { deps, session } = claimed;
  const next = name ?? deps.config.context.engine;
  claimed.change({ wantedEngine: name });
  await deps.store.turns.patchSession(claimed.lease, claimed.takePatch());
  const why = name === undefined ? say('asServiceSet') : '';
  return say(next === session.engine ? 'engineSame' : 'engineFromNext', { name: next, why });
}

function shownText(claimed: ClaimedSession, say: Say): string {
  const { engine, wantedEngine } = claimed.session;
  const why = say(wantedEngine === undefined ? 'serviceSetting' : 'chosenHere');
  const next = wantedEngine ?? claimed.deps.config.context.engine;
  const change = next === engine ? '' : say('engineNext', { name: next });
  return say('engineIs', { engine, change, why, names: namesText(claimed, say) });
}

function namesText({ deps }: ClaimedSession, say: Say): string {
  const names = deps.engineNames?.join(', ') ?? '';
  const known = names === '' ? '' : `${say('engineNames', { names })} `;
  return known + say('engineHow');
}
