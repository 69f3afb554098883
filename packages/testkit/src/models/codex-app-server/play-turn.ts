import { cutInChunks } from '../frames.ts';
import type { Json } from '../json.ts';
import { nextId } from './next-id.ts';
import type { Scene } from './scene.ts';
import { noCounts } from './thread-store.ts';
import type { StoredThread } from './thread-store.ts';
import type { Wire } from './wire.ts';

/** The window as the server tells it for gpt-5.5: 95 % of 272,000. */
const WINDOW_TOKENS = 258_400;
const ESTIMATE_AFTER = 6_862;

/** One turn being played. */
export interface Stage {
  readonly wire: Wire;
  readonly thread: StoredThread;
  readonly scene: Scene;
  readonly turnId: string;
  /** Fires when the client interrupts the turn. */
  readonly interrupted: AbortSignal;
  /** What the person asked; '' for a compaction. */
  readonly asked: string;
  readonly compacts: boolean;
  begun(): void;
}

/** status → turn/started → items → token counts → status → turn/completed, as the real server tells them. */
export async function playTurn(stage: Stage): Promise<void> {
  const { wire, scene, thread, turnId } = stage;
  if (!scene.answersLate) stage.begun();
  status(stage, { type: 'active', activeFlags: [] });
  tell(stage, 'turn/started', { turn: turnOf(stage, 'inProgress') });
  if (scene.answersLate) stage.begun();
  if (scene.noise) makeNoise(stage);
  const end = stage.compacts ? await playCompaction(stage) : await playAnswer(stage);
  if (end.error) {
    // The server counts a prompt that did not fit as a full window.
    if (scene.fails === 'contextWindowExceeded') usage(stage, { ...noCounts(), totalTokens: WINDOW_TOKENS });
    tell(stage, 'error', { error: end.error, willRetry: false, turnId });
  }
  status(stage, { type: 'idle' });
  if (end.status === 'completed') thread.turns.push(turnId);
  tell(stage, 'turn/completed', { turn: { ...turnOf(stage, end.status), error: end.error ?? null } });
  wire.splitBytes = undefined;
}

interface End {
  readonly status: 'completed' | 'interrupted' | 'failed';
  readonly error?: Json;
}

async function playAnswer(stage: Stage): Promise<End> {
  const { scene, asked } = stage;
  if (scene.compactsFirst) condense(stage);
  item(stage, { type: 'userMessage', id: nextId(), clientId: null, content: [textInput(asked)] });
  if (scene.asks) await stage.wire.ask(scene.asks, { threadId: stage.thread.id, turnId: stage.turnId });
  if (scene.retries) {
    const error = errorOf(scene.retries, 'Reconnecting... 1/5');
    tell(stage, 'error', { error, willRetry: true, turnId: stage.turnId });
  }
  if (scene.fails !== undefined) return { status: 'failed', error: errorOf(scene.fails, 'It failed.') };
  for (const text of scene.texts ?? ['ok']) {
    if (await say(stage, text.replace('$input', asked))) return { status: 'interrupted' };
  }
  const last = spent(scene);
  stage.thread.total = add(stage.thread.total, last);
  usage(stage, last);
  tell(stage, 'account/rateLimits/updated', { rateLimits: { limitId: 'codex', primary: null } });
  return { status: 'completed' };
}

/** Returns true when the turn was interrupted meanwhile; the open message then gets no end. */
async function say(stage: Stage, text: string): Promise<boolean> {
  const id = nextId();
  const { scene } = stage;
  const message = { type: 'agentMessage', id, phase: null };
  tell(stage, 'item/started', of(stage, { ...message, text: scene.withoutDeltas ? text : '' }));
  for (const delta of scene.withoutDeltas ? [] : cutInChunks(text, 8)) {
    stage.wire.notify('item/agentMessage/delta', { ...names(stage), itemId: id, delta });
    if (scene.hangs || scene.exits !== undefined) break;
  }
  if (scene.exits !== undefined) process.exit(scene.exits);
  if (scene.hangs) {
    await untilInterrupted(stage.interrupted);
    return true;
  }
  tell(stage, 'item/completed', of(stage, { ...message, text }));
  return false;
}

async function playCompaction(stage: Stage): Promise<End> {
  const { scene, wire } = stage;
  if (scene.hangs) {
    await untilInterrupted(stage.interrupted);
    return { status: 'interrupted' };
  }
  if (scene.fails !== undefined) return { status: 'failed', error: errorOf(scene.fails, 'It failed.') };
  if (!scene.legacy) {
    condense(stage);
    return { status: 'completed' };
  }
  usage(stage, { ...noCounts(), totalTokens: scene.tokensAfter ?? ESTIMATE_AFTER });
  wire.notify('thread/compacted', names(stage));
  return { status: 'completed' };
}

/** The item with its counts: the old ones again, the call's own, then an estimate of what is left. */
function condense(stage: Stage): void {
  const { scene, thread } = stage;
  const whole = { type: 'contextCompaction', id: nextId() };
  tell(stage, 'item/started', of(stage, whole));
  usage(stage, thread.last);
  const call = { ...noCounts(), totalTokens: 3_020, inputTokens: 3_000, outputTokens: 20 };
  thread.total = add(thread.total, call);
  usage(stage, call);
  usage(stage, { ...noCounts(), totalTokens: scene.tokensAfter ?? ESTIMATE_AFTER });
  tell(stage, 'item/completed', of(stage, whole));
}

function makeNoise(stage: Stage): void {
  process.stderr.write('\u001b[31mERROR\u001b[0m something in a log\n');
  stage.wire.raw('this is no JSON\n');
  stage.wire.notify('skills/changed', {});
  stage.wire.notify('item/agentMessage/delta', {
    threadId: nextId(),
    turnId: nextId(),
    itemId: 'x',
    delta: 'of another thread',
  });
  stage.wire.notify('item/agentMessage/delta', {
    ...names(stage),
    turnId: nextId(),
    itemId: 'x',
    delta: 'stale',
  });
}

async function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function item(stage: Stage, whole: Json): void {
  tell(stage, 'item/started', of(stage, whole));
  tell(stage, 'item/completed', of(stage, whole));
}

function of({ turnId }: Stage, whole: Json): Json {
  return { item: whole, turnId };
}

function names({ thread, turnId }: Stage): Json {
  return { threadId: thread.id, turnId };
}

function tell(stage: Stage, method: string, params: Json): void {
  stage.wire.notify(method, { threadId: stage.thread.id, ...params });
}

function status(stage: Stage, value: Json): void {
  tell(stage, 'thread/status/changed', { status: value });
}

function usage(stage: Stage, last: StoredThread['last']): void {
  stage.thread.last = last;
  const tokenUsage = { total: stage.thread.total, last, modelContextWindow: WINDOW_TOKENS };
  tell(stage, 'thread/tokenUsage/updated', { turnId: stage.turnId, tokenUsage });
}

export function turnOf({ turnId }: Pick<Stage, 'turnId'>, state: string): Json {
  return { id: turnId, rootTurnId: turnId, items: [], itemsView: 'notLoaded', status: state, error: null };
}

function errorOf(info: unknown, message: string): Json {
  return { message, codexErrorInfo: info, additionalDetails: null };
}

function textInput(text: string): Json {
  return { type: 'text', text, text_elements: [] };
}

function spent({ inputTokens = 1_000, outputTokens = 20 }: Scene): StoredThread['last'] {
  return {
    ...noCounts(),
    totalTokens: inputTokens + outputTokens,
    inputTokens,
    cachedInputTokens: 100,
    outputTokens,
    reasoningOutputTokens: 5,
  };
}

function add(a: StoredThread['last'], b: StoredThread['last']): StoredThread['last'] {
  return {
    totalTokens: a.totalTokens + b.totalTokens,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheWriteInputTokens: a.cacheWriteInputTokens + b.cacheWriteInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningOutputTokens: a.reasoningOutputTokens + b.reasoningOutputTokens,
  };
}
