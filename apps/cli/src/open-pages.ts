import { createPages, startHttp, type ContextReader } from '@palimpsest/dashboard';
import { startGateway, type Adapter, type GatewayDeps } from '@palimpsest/gateway';
import type { ModelClient } from '@palimpsest/core';
import { keepExporting, type PrometheusMeter } from '@palimpsest/metrics';
import type { TelegramWebhook } from '@palimpsest/platforms';
import { LocalListener, LocalSender } from '@palimpsest/platforms/local';
import type { Infrastructure } from './open-infrastructure.ts';
import { mountWebhook } from './mount-webhook.ts';
import type { Shutdown } from './shutdown.ts';

export interface PagesWish {
  /** With the operators' pages and the local web chat, else only /healthz, /readyz, /metrics and the webhook. */
  dashboard: boolean;
  adapters: readonly Adapter[];
  webhook: TelegramWebhook | null;
  model: ModelClient;
  context: ContextReader;
  meter: PrometheusMeter;
  shutdown: Shutdown;
}

/** Serve the pages; with the dashboard the local web chat's intake and delivery run here too. */
export async function openPages(
  parts: Infrastructure,
  gateway: GatewayDeps,
  wish: PagesWish,
): Promise<{ url: string }> {
  const { settings, store, queue } = parts;
  const listener = wish.dashboard ? new LocalListener() : null;
  const local: Adapter[] = listener ? [{ listener, sender: new LocalSender(() => {}) }] : [];
  const adapters = [...wish.adapters, ...local];
  const app = createPages({
    operators: store.operators,
    boards: store.boards,
    actions: store.actions,
    hooks: store.hooks,
    erase: store.erase,
    compactions: store.compactions,
    localChat: store.localChat,
    transcript: store.transcript,
    dcp: store.dcp,
    lcm: store.lcm,
    usage: store.usage,
    context: wish.context,
    notices: store.notices,
    leases: store.leases,
    queue,
    listener,
    meter: wish.meter,
    config: settings.config,
    health: {
      accounts: () =>
        adapters.map(({ listener: one }) => ({ account: one.account, lastAlive: one.lastAlive() })),
    },
    password: settings.password,
    viewerPassword: settings.viewerPassword,
    windowTokens: wish.model.info.windowTokens,
    modelLabel: wish.model.info.label,
    clock: gateway.clock,
    logger: parts.logger,
    owner: parts.owner,
    mount: (pages) => mountWebhook(pages, wish.webhook),
  });
  const http = await startHttp({
    app,
    host: settings.config.server.host,
    port: settings.port,
    password: settings.password,
  });
  wish.shutdown.add('pages', () => http.close());
  const localGateway = startGateway(gateway, local);
  wish.shutdown.add('local chat', () => localGateway.stop());
  exportFigures(parts, gateway, wish);
  return { url: http.url };
}

/** Figures from SQL, reported by one process of all. */
function exportFigures(
  { store, owner, logger }: Infrastructure,
  { clock }: GatewayDeps,
  { meter, shutdown }: PagesWish,
): void {
  const ends = new AbortController();
  const deps = { operators: store.operators, lcm: store.lcm, leases: store.leases, owner, clock, logger };
  const exporting = keepExporting(meter, deps, ends.signal);
  shutdown.add('figures', () => {
    ends.abort();
    return exporting;
  });
}
