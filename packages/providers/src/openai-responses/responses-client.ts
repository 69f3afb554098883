import type { ModelClient, ModelEvent, ModelRequest } from '@palimpsest/core';
import type OpenAI from 'openai';

import type { CodexSignIn } from '../codex-sign-in/codex-sign-in.ts';
import { codexHeaders } from '../codex-sign-in/codex-headers.ts';
import { openOpenAiSdk } from '../open-openai-sdk.ts';
import { withRetries } from '../retry.ts';
import type { ClientHelp, Route } from '../route.ts';
import { refusesCheckpoint, refusesField } from './refusals.ts';
import { sendOnce } from './send-once.ts';
import type { Broken, Sending } from './send-once.ts';
import { SessionMemory } from './session-memory.ts';
import { toBody } from './to-body.ts';
import type { BuiltBody } from './to-body.ts';

/** A service that is asked to condense and then says nothing for this long has stalled, ms; long thought is shorter. */
const nativeIdleMs = 120_000;

interface Open {
  route: Route;
  help: ClientHelp;
  memory: SessionMemory;
  sdk(): Promise<OpenAI>;
  signIn: CodexSignIn | null;
}

/**
 * OpenAI's Responses API, with a key or with a Codex subscription. The SDK is loaded at the first request.
 *
 * signIn   the subscription's; null: the route's key
 */
export function createResponsesClient(
  route: Route,
  help: ClientHelp,
  signIn: CodexSignIn | null = null,
): ModelClient {
  let sdk: Promise<OpenAI> | null = null;
  const open: Open = {
    route,
    help,
    memory: new SessionMemory(),
    sdk: () => (sdk ??= openOpenAiSdk(route, help)),
    signIn,
  };
  return {
    info: route.info,
    stream(request, signal) {
      const attempt = (): AsyncIterable<ModelEvent> => ask(request, signal, open);
      return withRetries(attempt, { clock: help.clock, random: help.random, signal });
    },
  };
}

/**
 * One try, with what can be put right at once put right: without the field that the service does not take, without
 * opaque items that it cannot read, with a renewed sign-in. Each of them once.
 */
async function* ask(request: ModelRequest, signal: AbortSignal, open: Open): AsyncGenerator<ModelEvent> {
  const tried = { renewed: false, stripped: false };
  for (;;) {
    const built = build(request, open);
    const broken = yield* sendOnce(sendingOf(request, signal, { open, built }));
    if (!broken) return;
    if (!(await putRight(broken, { request, built, open, tried })))
      return yield { type: 'failed', failure: broken.failure };
    yield { type: 'retrying', attempt: 0, waitMs: 0, failure: broken.failure };
  }
}

function build(request: ModelRequest, { route, memory }: Open): BuiltBody {
  const { sessionId } = request;
  return toBody(request, route, {
    isRefused: (item) => memory.isRefused(sessionId, item),
    native: !memory.isNativeOff(sessionId),
  });
}

function sendingOf(
  request: ModelRequest,
  signal: AbortSignal,
  { open, built }: { open: Open; built: BuiltBody },
): Sending {
  const { route, help } = open;
  const isNative = built.body.context_management !== undefined;
  return {
    request,
    built,
    route,
    help,
    signal,
    idleMs: isNative ? Math.min(nativeIdleMs, help.idleMs) : help.idleMs,
    open: async () => ({
      sdk: await open.sdk(),
      headers: open.signIn ? codexHeaders(await open.signIn.credentials(), request.sessionId) : {},
    }),
  };
}

/** Change what made the request fail; false when there is nothing to change. */
async function putRight(
  broken: Broken,
  context: {
    request: ModelRequest;
    built: BuiltBody;
    open: Open;
    tried: { renewed: boolean; stripped: boolean };
  },
): Promise<boolean> {
  const { request, built, open, tried } = context;
  if (broken.streamed) return false;
  if (built.body.context_management !== undefined && refusesField(broken)) {
    open.memory.switchNativeOff(request.sessionId);
    return true;
  }
  if (!tried.stripped && built.sealed.length > 0 && refusesCheckpoint(broken)) {
    tried.stripped = true;
    open.memory.refuse(request.sessionId, built.sealed);
    return true;
  }
  if (!tried.renewed && open.signIn && broken.failure.status === 401) {
    tried.renewed = true;
    return open.signIn.renew().catch(() => false);
  }
  return false;
}
