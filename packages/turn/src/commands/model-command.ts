import { dollarWords, type ModelInfo } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

const million = 1_000_000;

/**
 * /model: what there is · /model NAME: this session is answered by it from the next message on · /model default: back.
 * Window, thresholds and caches follow with the next claim, which reads them all anew.
 */
export async function modelCommand(claimed: ClaimedSession, argument: string): Promise<string> {
  const { models } = claimed.deps;
  if (!models) return 'There is only one model here.';
  const wished = argument.trim();
  if (wished === '' || wished === 'list') return listText(claimed, models.list());
  if (wished === 'default') return change(claimed, models.main, undefined);
  const found = models.find(wished);
  if (found.kind === 'refused') return `${found.why} Nothing is changed; /model shows what there is.`;
  return change(claimed, found.info, found.info.label === models.main.label ? undefined : wished);
}

function listText(claimed: ClaimedSession, offered: readonly ModelInfo[]): string {
  const current = claimed.deps.model.info;
  const isListed = offered.some(({ label }) => label === current.label);
  const [main] = offered;
  const lines = (isListed ? offered : [...offered, current]).map((info) => {
    const marks = [
      ...(info.label === main?.label ? ['default'] : []),
      ...(info.label === current.label ? ['answers here'] : []),
    ];
    return `${info.label}: ${factsOf(info)}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
  });
  const { choices } = claimed.deps.config.model;
  const how =
    choices.length > 0
      ? '/model NAME takes one of them for this session, /model default the default.'
      : '/model NAME takes any model that a set key serves, for this session; /model default goes back.';
  return [...lines, how].join('\n');
}

async function change(
  claimed: ClaimedSession,
  info: ModelInfo,
  wantedModel: string | undefined,
): Promise<string> {
  const current = claimed.deps.model.info;
  if (info.label === current.label) return `${info.label} answers here already.`;
  await claimed.deps.store.turns.patchSession(claimed.lease, { wantedModel });
  claimed.modelChanged = true;
  const back = wantedModel === undefined ? '' : ' /model default goes back.';
  return [
    `From the next message on ${info.label} answers here: ${factsOf(info)}.${back}`,
    costText(claimed, info),
    ...warnings(claimed, info),
  ].join('\n');
}

/** Caches belong to one model: the new one has read nothing of this conversation yet. */
function costText(claimed: ClaimedSession, { caching, pricePerMillion }: ModelInfo): string {
  const { promptTokens } = claimed.state();
  const each = caching === null ? pricePerMillion?.input : pricePerMillion?.cacheWrite;
  const price = each === undefined ? '' : `, ${dollarWords((promptTokens * each) / million)}`;
  return `Its first answer reads the whole conversation anew at full price: about ${number(promptTokens)} tokens${price}. Going back costs that again.`;
}

function warnings(claimed: ClaimedSession, info: ModelInfo): string[] {
  const { promptTokens } = claimed.state();
  return [
    ...(info.windowSource === 'default'
      ? [`Nothing is known of this model: its window is taken as ${number(info.windowTokens)} tokens.`]
      : []),
    ...(promptTokens > info.windowTokens
      ? ['This conversation is larger than its window and is condensed before it answers.']
      : []),
  ];
}

function factsOf({ windowTokens, pricePerMillion }: ModelInfo): string {
  const price = pricePerMillion
    ? `, $${pricePerMillion.input} a million tokens read and $${pricePerMillion.output} written`
    : '';
  return `${number(windowTokens)} tokens${price}`;
}

function number(tokens: number): string {
  return tokens.toLocaleString('en');
}
