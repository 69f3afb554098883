/*
 * The lossless engine without the gateway: a database address and a model are all it needs. Messages go in as a plain list,
 * and the list that comes back is small enough for the model; every message stays in the database and can be found again.
 */
import { defaultConfig, systemClock, type Config } from '@palimpsest/core';
import { LcmContextEngine, type PlainMessage } from '@palimpsest/engines';
import { createModelClient, createSummariser } from '@palimpsest/providers';
import { migrate } from '@palimpsest/store';
import { openStandAlonePorts } from './stand-alone-ports.ts';

export interface StandAloneInput {
  databaseUrl: string;
  /** The model that writes summaries: provider, name, address. */
  model: Partial<Config['model']>;
  /** Key of its provider. */
  apiKey: string;
  contextLength: number;
  /** The conversation so far. */
  messages: readonly PlainMessage[];
  /** Looked for at the end, with lcm_grep. */
  question: string;
}

export interface StandAloneResult {
  compressed: readonly PlainMessage[];
  found: string;
  status: readonly string[];
}

/** Drive the engine over a list of messages, as an application of one's own would. */
export async function runStandAlone(input: StandAloneInput): Promise<StandAloneResult> {
  await migrate(input.databaseUrl);
  await using ports = await openStandAlonePorts(input.databaseUrl);
  const config = defaultConfig();
  const client = createModelClient({
    config: { ...config, model: { ...config.model, ...input.model } },
    keys: { anthropic: input.apiKey, openai: input.apiKey, openrouter: input.apiKey, custom: input.apiKey },
    clock: systemClock,
    random: Math.random,
  });
  const engine = new LcmContextEngine({
    model: client.info.name,
    provider: client.info.provider,
    configContextLength: input.contextLength,
    ports,
    summariser: createSummariser(client, { timeoutMs: 60_000, ceilingMs: 120_000 }),
  });
  let messages = await engine.onSessionStart('my-session');
  for (const message of input.messages) {
    messages = [...messages, message];
    const promptTokens = Math.ceil(messages.reduce((sum, { content }) => sum + content.length / 3, 0));
    if (engine.shouldCompress({ promptTokens }))
      messages = await engine.compress(messages, { currentTokens: promptTokens });
  }
  const found = await engine.callTool('lcm_grep', { query: input.question });
  return { compressed: messages, found, status: await engine.getStatus() };
}
