import { never, type ModelInfo, type ModelRefusal } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';

const million = 1_000_000;

/**
 * /model: what there is · /model NAME: this session is answered by it from the next message on · /model default: back.
 * Window, thresholds and caches follow with the next claim, which reads them all anew.
 */
export async function modelCommand(claimed: ClaimedSession, argument: string, say: Say): Promise<string> {
  const { models } = claimed.deps;
  if (!models) return say('modelOnly');
  const wished = argument.trim();
  if (wished === '' || wished === 'list') return listText(claimed, models.list(), say);
  if (wished === 'default') return change(claimed, { info: models.main, wantedModel: undefined, say });
  const found = models.find(wished);
  if (found.kind === 'refused')
    return say('modelUnchanged', { why: refusalText(claimed, { wished, reason: found.reason, say }) });
  const wantedModel = found.info.label === models.main.label ? undefined : wished;
  return change(claimed, { info: found.info, wantedModel, say });
}

function refusalText(
  { deps }: ClaimedSession,
  { wished, reason, say }: { wished: string; reason: ModelRefusal; say: Say },
): string {
  switch (reason) {
    case 'no_name':
      return say('modelNoName');
    case 'not_allowed':
      return say('modelNotAllowed', { names: deps.config.model.choices.join(', ') });
    case 'not_served':
      return say('modelNotServed', { name: wished });
    case 'unusable':
      return say('modelUnusable', { name: wished });
    default:
      return never(reason);
  }
}

function listText(claimed: ClaimedSession, offered: readonly ModelInfo[], say: Say): string {
  const current = claimed.deps.model.info;
  const isListed = offered.some(({ label }) => label === current.label);
  const [main] = offered;
  const lines = (isListed ? offered : [...offered, current]).map((info) => {
    const marks = [
      ...(info.label === main?.label ? [say('modelIsDefault')] : []),
      ...(info.label === current.label ? [say('modelIsHere')] : []),
    ];
    return `${info.label}: ${factsOf(info, say)}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
  });
  const { choices } = claimed.deps.config.model;
  return [...lines, say(choices.length > 0 ? 'modelHowChoices' : 'modelHowAny')].join('\n');
}

async function change(
  claimed: ClaimedSession,
  { info, wantedModel, say }: { info: ModelInfo; wantedModel: string | undefined; say: Say },
): Promise<string> {
  const current = claimed.deps.model.info;
  if (info.label === current.label) return say('modelAlready', { model: info.label });
  await claimed.deps.store.turns.patchSession(claimed.lease, { wantedModel });
  claimed.modelChanged = true;
  const back = wantedModel === undefined ? '' : say('modelGoesBack');
  return [
    say('modelFromNext', { model: info.label, facts: factsOf(info, say), back }),
    costText(claimed, info, say),
    ...warnings(claimed, info, say),
  ].join('\n');
}

/** Caches belong to one model: the new one has read nothing of this conversation yet. */
function costText(claimed: ClaimedSession, { caching, pricePerMillion }: ModelInfo, say: Say): string {
  const { promptTokens } = claimed.state();
  const each = caching === null ? pricePerMillion?.input : pricePerMillion?.cacheWrite;
  const price = each === undefined ? '' : `, ${say.dollars((promptTokens * each) / million)}`;
  return say('modelReads', { tokens: say.number(promptTokens), price });
}

function warnings(claimed: ClaimedSession, info: ModelInfo, say: Say): string[] {
  const { promptTokens } = claimed.state();
  return [
    ...(info.windowSource === 'default'
      ? [say('modelUnknownWindow', { tokens: say.number(info.windowTokens) })]
      : []),
    ...(promptTokens > info.windowTokens ? [say('modelSmaller')] : []),
  ];
}

function factsOf({ windowTokens, pricePerMillion }: ModelInfo, say: Say): string {
  const price = pricePerMillion
    ? say('modelPrice', {
        input: say.listPrice(pricePerMillion.input),
        output: say.listPrice(pricePerMillion.output),
      })
    : '';
  return say('modelFacts', { tokens: say.number(windowTokens), price });
}
