import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  GatewayError,
  type Clock,
  type Config,
  type GatewayEvent,
  type HookDelivery,
  type HookSubscriber,
} from '@palimpsest/core';
import { postWebhook, type WebhookEnd } from './post-webhook.ts';
import { webhookHeaders, webhookKey } from './sign-webhook.ts';

/** One subscriber, ready to hear. `tell` never throws; `signal` ends the attempt. */
export interface Hook extends HookSubscriber {
  kind: 'module' | 'webhook';
  timeoutMs: number;
  maxAttempts: number;
  tell(delivery: HookDelivery, signal: AbortSignal): Promise<WebhookEnd>;
}

export interface HookGround {
  config: Config['hooks'];
  /** Folder of the config file; modules lie beside it. */
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
}

type HookConfig = Config['hooks'][string];

/** throws config_invalid for a webhook whose secret is missing or too short */
export function createHooks(ground: HookGround): readonly Hook[] {
  return Object.entries(ground.config)
    .filter(([, hook]) => hook.enabled)
    .map(([name, hook]) => ({
      name,
      events: hook.events,
      kind: hook.module === null ? ('webhook' as const) : ('module' as const),
      timeoutMs: hook.timeout_seconds * 1000,
      maxAttempts: hook.max_attempts,
      tell: hook.module === null ? webhook(name, hook, ground) : moduleHook(hook.module, ground),
    }));
}

function webhook(name: string, hook: HookConfig, { environment, clock }: HookGround): Hook['tell'] {
  const variable = hook.secret_variable ?? '';
  const secret = environment[variable];
  if (!secret)
    throw new GatewayError(
      'config_invalid',
      `hooks.${name} signs with ${variable}, and that variable is not set. Put whsec_ and the base64 of 24 to 64 bytes into .env.`,
    );
  const key = webhookKey(secret, variable);
  return (delivery, signal) => {
    const id = `evt_${delivery.eventId}`;
    const body = JSON.stringify(bodyOf(delivery));
    const seconds = Math.floor(clock.now().getTime() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'palimpsest-webhook',
      ...webhookHeaders(key, { id, seconds, body }),
    };
    return postWebhook({ url: hook.url ?? '', headers, body, allowPrivate: hook.allow_private, signal });
  };
}

/** Type, time of what happened, and the event itself. */
function bodyOf({ event, createdAt }: HookDelivery): { type: string; timestamp: string; data: GatewayEvent } {
  return { type: event.type, timestamp: createdAt.toISOString(), data: event };
}

/** The module is loaded when its first event comes; one that cannot be loaded fails like any other. */
function moduleHook(file: string, { folder }: HookGround): Hook['tell'] {
  const address = pathToFileURL(isAbsolute(file) ? file : resolve(folder, file)).href;
  return async ({ event, eventId, createdAt }, signal) => {
    try {
      const loaded = (await import(address)) as { onEvent?: unknown };
      if (typeof loaded.onEvent !== 'function') return failed('the module exports no function onEvent');
      const told = Promise.resolve(loaded.onEvent(event, { eventId, createdAt, signal }));
      await Promise.race([told, aborted(signal)]);
      return { kind: 'ok' };
    } catch (thrown) {
      return failed(signal.aborted ? 'not done in time' : problemOf(thrown));
    }
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Words of a program of the operator's own, which may hold anything: cut short. */
function problemOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300);
}

function failed(problem: string): WebhookEnd {
  return { kind: 'failed', problem, gone: false, retryAfterMs: null };
}
