import { silentLogger, systemClock, toGatewayError, type ModelInfo } from '@palimpsest/core';
import { createModelRegistry } from '@palimpsest/providers';
import type { Settings } from '../settings.ts';
import { createMainModel } from '../start-parts.ts';
import { fine, problem, warning, type Finding } from './finding.ts';

/** A model window below this makes long conversations condense very often (warned of, never refused). */
const smallWindowTokens = 64_000;

/** The model of the turns and the one of summaries, each with its window and where that is known from. */
export function modelFindings(settings: Settings): Finding[] {
  try {
    const main = createMainModel(settings);
    const registry = createModelRegistry({
      config: settings.config,
      keys: settings.keys,
      main,
      logger: silentLogger,
      clock: systemClock,
      random: Math.random,
    });
    const summary = registry.summaryClientFor(main);
    return [mainFinding(main.info), summaryFinding(summary.info, main.info)];
  } catch (thrown) {
    return [problem('model', toGatewayError(thrown).message)];
  }
}

function windowOf({ label, windowTokens, windowSource }: ModelInfo): string {
  return `${label}, window ${windowTokens.toLocaleString('en')} (${windowSource})`;
}

function mainFinding(info: ModelInfo): Finding {
  const words = windowOf(info);
  if (info.provider === 'offline')
    return warning(
      'model',
      `${words}; no key is set: put ANTHROPIC_API_KEY, OPENROUTER_API_KEY or OPENAI_API_KEY into .env`,
    );
  if (info.windowSource === 'default')
    return warning('model', `${words}; the model is unknown: set model.context_length`);
  if (info.windowTokens < smallWindowTokens)
    return warning(
      'model',
      `${words}; below ${smallWindowTokens.toLocaleString('en')} tokens it condenses often; name a model with a larger window in model.name, or correct model.context_length if it has one`,
    );
  return fine('model', words);
}

function summaryFinding(summary: ModelInfo, main: ModelInfo): Finding {
  const words = windowOf(summary);
  if (summary.label === main.label) return fine('summaries', `${words}; the main model writes them`);
  if (summary.windowSource === 'default')
    return warning('summaries', `${words}; the model is unknown: set auxiliary.compression.context_length`);
  if (summary.windowTokens < main.windowTokens)
    return warning(
      'summaries',
      `${words}, smaller than the ${main.windowTokens.toLocaleString('en')} of the main model: long stretches are condensed in several calls; name a model with a larger window in auxiliary.compression.model to avoid that`,
    );
  return fine('summaries', words);
}
