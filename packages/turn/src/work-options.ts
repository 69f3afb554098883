import { renderPerson } from '@palimpsest/agent';
import { type AccessLists, accessListsOf, type Platform, type WorkOptions } from '@palimpsest/core';
import { busyModeOf } from './busy-mode.ts';
import type { ClaimedSession } from './claimed-session.ts';
import type { TurnDeps } from './deps.ts';
import { largeTextTokens } from './large-text.ts';

/**
 * Characters of an input for each token of the window. Texts of a chat have one to four characters a token, so that an
 * input is a sixteenth to a quarter of the window: engines keep that much unread, whatever they condense.
 */
const charactersPerToken = 1 / 4;

/** What is taken from the mailbox at a time, and how it is written for the model. */
export function workOptions(claimed: ClaimedSession): WorkOptions {
  const { config } = claimed.deps;
  return {
    maxTexts: config.worker.max_texts_per_turn,
    maxCharacters: Math.floor(claimed.windowTokens * charactersPerToken),
    maxAttempts: config.worker.max_turn_attempts,
    collect: busyModeOf(claimed) !== 'followup',
    bodies: claimed.view.textsAhead,
    lists: accessLists(claimed.deps),
    render: (row, goesOn) =>
      renderPerson(row, { timezone: config.timezone, maxTextTokens: largeTextTokens(claimed), goesOn }),
  };
}

function accessLists({ config }: TurnDeps): Readonly<Record<Platform, AccessLists>> {
  return {
    telegram: accessListsOf(config, 'telegram'),
    discord: accessListsOf(config, 'discord'),
    local: accessListsOf(config, 'local'),
  };
}
