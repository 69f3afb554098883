import { createPages, startHttp } from '@palimpsest/dashboard';
import { startGateway, type Adapter, type GatewayDeps } from '@palimpsest/gateway';
import type { ModelClient } from '@palimpsest/core';
import { LocalSender, type LocalListener, type TelegramWebhook } from '@palimpsest/platforms';
import type { Infrastructure } from './open-infrastructure.ts';
import type { Shutdown } from './shutdown.ts';

export interface PagesWish {
  /** The local web chat's listener, null where only /healthz, /readyz and /metrics are served. */
  local: LocalListener | null;
  adapters: readonly Adapter[];
  webhook: TelegramWebhook | null;
  model: ModelClient;
  shutdown: Shutdown;
}
