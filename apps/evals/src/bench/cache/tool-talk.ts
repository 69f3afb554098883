/** A conversation of a hundred turns with tool calls, through the real worker, against a server that simulates its prompt cache. */
import { createMainModel, createWorkerDeps, ownerName, readSettings } from '@palimpsest/cli';
import {
  GatewayError,
  silentLogger,
  silentMeter,
  systemClock,
  type IntakePolicy,
  type Store,
  type Tool,
} from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { openStore } from '@palimpsest/store';
import { followNudges, scriptedSummariser, startFakeModel, type ModelScript } from '@palimpsest/testkit';
import { startWorker } from '@palimpsest/worker';
import type { BenchInput } from '../bench-input.ts';
import { openPlace } from '../pipeline/open-world.ts';

/** What the conversation is held under. */
export interface TalkSubject {
  /** Each of its figures begins with it. */
  name: string;
  engine: string;
  windowTokens: number;
  compacts: boolean;
}

/** Calls of a turn, one after the other. */
const roundsOfTurn = 2;
const patienceMs = 60_000;

/** What one model call of the conversation read. */
export interface TalkRequest {
  /** From 0. */
  turn: number;
  promptTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** All requests of the turns in order; those for summaries go to another server. */
export async function toolTalk(
  input: BenchInput,
  subject: TalkSubject,
  turns: number,
): Promise<TalkRequest[]> {
  await using stack = new AsyncDisposableStack();
  const state = { turn: 0, answered: 0 };
  const turnOf: number[] = [];
  const model = stack.use(
    await startFakeModel({
      dialect: 'anthropic',
      window: subject.windowTokens,
      script: talkScript(state, turnOf),
      recordBodies: false,
    }),
  );
  const summaries = stack.use(
    await startFakeModel({
      dialect: 'openai-chat',
      window: 128_000,
      script: scriptedSummariser(),
      recordBodies: false,
    }),
  );
  const store = await openWorker(stack, input, {
    subject,
    model: model.baseUrl,
    summaries: summaries.baseUrl,
  });
  for (state.turn = 0; state.turn < turns && !input.signal.aborted; state.turn += 1) {
    await store.say(state.turn);
    const givenUpAt = performance.now() + patienceMs;
    while (state.answered <= state.turn) {
      if (performance.now() > givenUpAt || input.signal.aborted)
        throw new GatewayError(
          'internal',
          `turn ${state.turn} of the cache bench got no answer under ${subject.name}`,
        );
      await systemClock.sleep(2, input.signal);
    }
  }
  return model.usage.map(
    ({ promptTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens }, index) => ({
      turn: turnOf[index] ?? 0,
      promptTokens,
      cacheReadTokens,
      cacheWriteTokens: cacheWrite5mTokens + cacheWrite1hTokens,
    }),
  );
}

/** Two rounds of a tool, then an answer; a model that is asked to compress does that first. */
function talkScript(state: { turn: number; answered: number }, turnOf: number[]): ModelScript {
  const talk = followNudges(harbourTalk(state));
  return (request) => {
    turnOf.push(state.turn);
    return talk(request);
  };
}

function harbourTalk(state: { turn: number; answered: number }): ModelScript {
  let rounds = 0;
  return ({ tools }) => {
    if (rounds < roundsOfTurn && tools.includes('read_file')) {
      rounds += 1;
      const path = `notes/day-${state.turn}-${rounds}.md`;
      return { text: 'I look it up.', toolCalls: [{ name: 'read_file', arguments: { path } }] };
    }
    rounds = 0;
    state.answered += 1;
    return {
      text: `Day ${state.turn}: ${'the tide is noted, the crew is told and the log is written. '.repeat(6)}`,
    };
  };
}

/** About 400 tokens, each different. */
const readFile: Tool = {
  schema: {
    name: 'read_file',
    description: 'Read a file of the notes. Paths are relative to the folder of notes.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  repeatable: true,
  run: async ({ path }) => ({
    text: Array.from(
      { length: 20 },
      (_, line) =>
        `${String(path)}:${line} the wind turned at ${line} o'clock, the pier was free and the boat needed paint`,
    ).join('\n'),
    isError: false,
  }),
};

/** Longer than the smallest prefix that the model caches. */
const instructions = `You keep the log of a small harbour. ${'Write down who came, what they brought, when the tide turned, and what was promised to whom; look a thing up before you say it. '.repeat(60)}`;

interface Wanted {
  subject: TalkSubject;
  model: string;
  summaries: string;
}

async function openWorker(
  stack: AsyncDisposableStack,
  input: BenchInput,
  { subject, model, summaries }: Wanted,
): Promise<{ say(turn: number): Promise<void> }> {
  const servers = { databaseUrl: await input.services.databaseUrl(), redisUrl: null };
  const place = await openPlace(stack, 'postgres', servers);
  const fresh = readSettings({ ANTHROPIC_API_KEY: 'bench', CUSTOM_API_KEY: 'bench' }, '/nonexistent');
  const { config } = fresh;
  const { engine, windowTokens, compacts } = subject;
  const settings = {
    ...fresh,
    config: {
      ...config,
      agent: { ...config.agent, instructions },
      context: { ...config.context, engine },
      compression: { ...config.compression, enabled: compacts },
      model: {
        ...config.model,
        provider: 'anthropic' as const,
        name: 'claude-sonnet-5',
        base_url: model,
        context_length: windowTokens,
        ask_provider: false,
      },
      auxiliary: {
        compression: {
          ...config.auxiliary.compression,
          provider: 'custom' as const,
          model: 'summaries',
          base_url: summaries,
        },
      },
      worker: { ...config.worker, wait_for_more_ms: 0 },
    },
  };
  const store = await openStore({ databaseUrl: place.databaseUrl, logger: silentLogger, poolSize: 8 });
  stack.defer(() => store.close());
  const queue = await createQueue({ ...place, logger: silentLogger });
  stack.defer(() => queue.close());
  const parts = { settings, logger: silentLogger, meter: silentMeter, store, queue, owner: ownerName() };
  const worker = await startWorker(createWorkerDeps(parts, createMainModel(settings), [readFile]));
  stack.defer(() => worker.stop(5_000));
  const policy: IntakePolicy = {
    account: { platform: 'local', id: 'local' },
    lists: { allowAll: true, allowedUsers: [], allowedChats: [] },
    engine,
    waitForMoreMs: 0,
    requireMention: false,
  };
  return {
    async say(turn) {
      const [stored] = await store.intake.storeUpdates(policy, [updateOf(turn)]);
      await queue.wake(stored?.sessionId ?? '');
    },
  };
}

function updateOf(turn: number): Parameters<Store['intake']['storeUpdates']>[1][number] {
  const text = `What happened on day ${turn}? ${'Tell me of wind, tide and boats, and who is owed what. '.repeat(5)}`;
  return {
    updateKey: `m${turn}`,
    raw: new TextEncoder().encode(text),
    content: {
      kind: 'message',
      chat: { chatId: 'chat', threadId: '', kind: 'direct' },
      sender: { id: 'person', name: 'Ada', isBot: false },
      messageId: `m${turn}`,
      text,
      sentAt: new Date(),
      addressed: true,
    },
  };
}
