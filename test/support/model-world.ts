/** Fake model servers of every dialect with the clients that speak them, and short words for requests and answers. */
import { defaultConfig, systemClock } from '@palimpsest/core';
import type {
  Clock,
  Config,
  ModelClient,
  ModelEvent,
  ModelRequest,
  Part,
  PromptMessage,
} from '@palimpsest/core';
import { createModelClient } from '@palimpsest/providers';
import { startFakeModel } from '@palimpsest/testkit';
import type { FakeModel, FakeModelOptions, ModelScript, ScriptAnswer } from '@palimpsest/testkit';
import { makeCodexHome } from './codex-home.ts';

/** One dialect with the client that speaks it. */
export interface Side {
  name: string;
  options: Pick<FakeModelOptions, 'dialect' | 'flavour'>;
  model: Partial<Config['model']>;
  /** Word for an overloaded service. */
  overloadedStatus: number;
  /** Does its overflow text name the window? */
  namesWindow?: false;
  /** The subscription's service refuses a limit of the answer. */
  takesLimit?: false;
}

export const sides: readonly Side[] = [
  {
    name: 'anthropic',
    options: { dialect: 'anthropic' },
    model: { provider: 'anthropic', name: 'claude-sonnet-5' },
    overloadedStatus: 529,
  },
  {
    name: 'openai',
    options: { dialect: 'openai-chat' },
    model: { provider: 'openai', name: 'gpt-5.5' },
    overloadedStatus: 503,
  },
  {
    name: 'openrouter',
    options: { dialect: 'openai-chat', flavour: 'openrouter' },
    model: { provider: 'openrouter', name: 'anthropic/claude-sonnet-5' },
    overloadedStatus: 503,
  },
  {
    name: 'custom',
    options: { dialect: 'openai-chat' },
    model: { provider: 'custom', name: 'tiny' },
    overloadedStatus: 503,
  },
  {
    name: 'responses',
    options: { dialect: 'openai-responses' },
    model: { provider: 'openai', name: 'gpt-5.6-sol', api_mode: 'responses' },
    overloadedStatus: 503,
    namesWindow: false,
  },
  {
    name: 'codex',
    options: { dialect: 'openai-responses', flavour: 'codex' },
    model: { provider: 'openai-codex', name: 'gpt-5.6-sol' },
    overloadedStatus: 503,
    namesWindow: false,
    takesLimit: false,
  },
];

const keys = { anthropic: 'test-key', openai: 'test-key', openrouter: 'test-key', custom: 'test-key' };
/** Never waits; time stands still. */
export const hurried: Clock = {
  now: () => new Date('2026-11-29T12:00:00Z'),
  sleep: (ms, signal) => (ms < 30_000 ? Promise.resolve() : systemClock.sleep(ms, signal)),
};

export interface ModelWorld extends AsyncDisposable {
  server: FakeModel;
  client: ModelClient;
}

/** A fake server of a dialect and the client that speaks it. */
export async function worldOf(
  side: Side,
  script: ModelScript,
  more: {
    fake?: Partial<FakeModelOptions>;
    idleMs?: number;
    clock?: Clock;
    caching?: Partial<Config['prompt_caching']>;
  } = {},
): Promise<ModelWorld> {
  const home = makeCodexHome();
  const server = await startFakeModel({ ...side.options, window: 100_000, script, ...more.fake });
  const config = {
    ...defaultConfig(),
    model: { ...defaultConfig().model, ...side.model, base_url: server.baseUrl },
    prompt_caching: { ...defaultConfig().prompt_caching, ...more.caching },
  };
  const client = createModelClient({
    config,
    keys: { ...keys, codexHome: home.path },
    clock: more.clock ?? hurried,
    random: () => 0.5,
    idleMs: more.idleMs ?? 60_000,
  });
  const close = async (): Promise<void> => {
    home[Symbol.dispose]();
    await server.close();
  };
  return { server, client, [Symbol.asyncDispose]: close };
}

/** Answers one script after the other, then the last one again. */
export function inTurn(...answers: ScriptAnswer[]): ModelScript {
  return ({ index }) => answers[Math.min(index, answers.length - 1)] ?? { text: 'ok' };
}

export const text = (value: string): Part => ({ type: 'text', text: value });
export const user = (value: string): PromptMessage => ({ role: 'user', parts: [text(value)] });
const look = {
  name: 'look',
  description: 'looks at things',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
};

export function request(messages: PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    sessionId: 's1',
    system: ['You are kind.'],
    messages,
    tools: [look],
    maxTokens: 1000,
    purpose: 'turn',
    ...more,
  };
}

/** Everything a request brings, in order. */
export async function events(
  client: ModelClient,
  asked: ModelRequest,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = [];
  for await (const event of client.stream(asked, signal)) seen.push(event);
  return seen;
}

/** Types in order, runs of text as one; the labels that one wire puts on its messages left out. */
export function outline(seen: readonly ModelEvent[]): string[] {
  const shown = seen.filter((event) => !JSON.stringify(event).includes('"type":"phase"'));
  const words = shown.map((event) => (event.type === 'failed' ? `failed ${event.failure.kind}` : event.type));
  return words.filter((word, index) => word !== 'text' || words[index - 1] !== 'text');
}

export function saidIn(seen: readonly ModelEvent[]): string {
  return seen.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

/** What the agent would store of an answer: sidecars, texts, calls. */
export function asMessage(seen: readonly ModelEvent[]): PromptMessage {
  const said = saidIn(seen);
  const sidecars = seen.flatMap((event): Part[] =>
    event.type === 'sidecar' ? [{ type: 'sidecar', issuer: event.issuer, item: event.item }] : [],
  );
  const calls = seen.flatMap((event): Part[] =>
    event.type === 'tool_call'
      ? [{ type: 'tool_call', id: event.id, name: event.name, arguments: event.arguments }]
      : [],
  );
  return { role: 'assistant', parts: [...sidecars, ...(said === '' ? [] : [text(said)]), ...calls] };
}

/** A result for every call of a message. */
export function resultsFor(message: PromptMessage): PromptMessage[] {
  return message.parts.flatMap((part): PromptMessage[] =>
    part.type === 'tool_call'
      ? [
          {
            role: 'tool',
            parts: [
              {
                type: 'tool_result',
                callId: part.id,
                name: part.name,
                text: `saw ${part.arguments}`,
                isError: false,
              },
            ],
          },
        ]
      : [],
  );
}
