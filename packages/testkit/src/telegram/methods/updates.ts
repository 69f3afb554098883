/** getUpdates and the webhook methods. */
import { badRequest, conflict } from '../api-error.ts';
import { method, type CallContext, type Handler, type ServerState } from '../server-state.ts';
import type { UploadedFile } from '../uploaded-file.ts';

const MOST_UPDATES = 100;
// Longest hold of the real server.
const LONGEST_HOLD_S = 50;
const DEFAULT_CONNECTIONS = 40;

interface GetUpdatesParams {
  readonly offset?: number;
  readonly limit?: number;
  readonly timeout?: number;
  readonly allowed_updates?: string[];
}

interface SetWebhookParams {
  readonly url: string;
  readonly certificate?: UploadedFile;
  readonly max_connections?: number;
  readonly allowed_updates?: string[];
  readonly drop_pending_updates?: boolean;
  readonly secret_token?: string;
}

/** Methods by which the bot receives. */
export const updateMethods: Record<string, Handler> = {
  getUpdates: method<GetUpdatesParams>((state, params, call) => getUpdates(state, params, call)),

  setWebhook: method<SetWebhookParams>((state, params) => setWebhook(state, params)),

  deleteWebhook: method<{ drop_pending_updates?: boolean }>((state, params) => {
    stopWebhook(state);
    if (params.drop_pending_updates) state.queue.clear();
    return true;
  }),

  getWebhookInfo: method((state) => {
    const { webhook, queue } = state;
    const error = webhook?.lastError;
    return {
      url: webhook?.setting.url ?? '',
      has_custom_certificate: false,
      pending_update_count: queue.list().length,
      ...(webhook && { max_connections: webhook.setting.maxConnections, ip_address: '127.0.0.1' }),
      ...(error && { last_error_date: error.date, last_error_message: error.message }),
      ...(queue.allowed.length > 0 && { allowed_updates: [...queue.allowed] }),
    };
  }),
};

async function getUpdates(state: ServerState, params: GetUpdatesParams, call: CallContext): Promise<unknown> {
  if (state.webhook) {
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  const { offset = 0, limit = MOST_UPDATES, timeout = 0 } = params;
  if (limit < 1 || limit > MOST_UPDATES) state.violations.push(`getUpdates: limit ${limit} is not 1 to 100`);
  keepAllowed(state, params.allowed_updates);
  state.queue.applyOffset(offset);
  return state.poll.hold({
    limit: Math.min(Math.max(limit, 1), MOST_UPDATES),
    timeoutMs: Math.min(Math.max(timeout, 0), LONGEST_HOLD_S) * 1000,
    signal: call.signal,
  });
}

function setWebhook(state: ServerState, params: SetWebhookParams): true {
  const { url, secret_token: secretToken, max_connections: connections = DEFAULT_CONNECTIONS } = params;
  if (url !== '') checkUrl(url);
  if (secretToken !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(secretToken)) {
    throw badRequest('secret token contains unallowed characters');
  }
  if (connections < 1 || connections > 100)
    state.violations.push(`setWebhook: max_connections ${connections}`);
  stopWebhook(state);
  keepAllowed(state, params.allowed_updates);
  if (params.drop_pending_updates) state.queue.clear();
  if (url === '') return true;
  state.poll.interrupt('setWebhook request');
  const maxConnections = Math.min(Math.max(connections, 1), 100);
  state.webhook = state.startWebhook({
    url,
    maxConnections,
    ...(secretToken !== undefined && { secretToken }),
  });
  return true;
}

/** HTTPS on the four ports; the one leniency of the fake is plain HTTP to this machine. */
function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.hostname === '127.0.0.1' || parsed?.hostname === 'localhost') return;
  if (parsed?.protocol !== 'https:')
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (!['', '443', '80', '88', '8443'].includes(parsed.port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
}

function stopWebhook(state: ServerState): void {
  state.webhook?.stop();
  state.webhook = undefined;
}

function keepAllowed(state: ServerState, allowed: string[] | undefined): void {
  if (allowed === undefined) return;
  const kinds = new Set((state.checker.schema.types.Update?.fields ?? []).map((field) => field.name));
  kinds.delete('update_id');
  for (const kind of allowed) {
    if (!kinds.has(kind)) state.violations.push(`allowed_updates: ${kind} is no kind of update`);
  }
  state.queue.allowed = allowed;
}
