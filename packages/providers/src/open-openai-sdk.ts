import type OpenAI from 'openai';

import type { ClientHelp, Route } from './route.ts';

/** OpenAI's client, loaded at its first use. Nothing is read from the environment, nothing is logged, nothing is retried there. */
export async function openOpenAiSdk(
  route: Pick<Route, 'apiKey' | 'baseUrl'>,
  help: Pick<ClientHelp, 'idleMs' | 'fetch'>,
): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    apiKey: route.apiKey,
    organization: null,
    project: null,
    baseURL: route.baseUrl,
    maxRetries: 0,
    timeout: help.idleMs,
    logLevel: 'off',
    ...(help.fetch ? { fetch: help.fetch } : {}),
  });
}
