import { Hono, type Context } from 'hono';
import type { PagesDeps } from '../deps.ts';
import { refuse } from '../error-response.ts';
import { isFromThisMachine } from '../guards/loopback.ts';
import type { SignIn } from '../guards/sign-in.ts';
import { readyChecks } from './ready-checks.ts';
import { watchLoopLag } from './loop-lag.ts';

/** A loop that is late by more than this answers nobody in time. */
const lagLimitMs = 1_000;

/**
 * /healthz, /readyz and /metrics. They answer on loopback without sign-in; from elsewhere the two probes say only yes or
 * no, and metrics want the password as bearer.
 */
export function healthRoutes(deps: PagesDeps, signIn: SignIn | null): Hono {
  const lagMs = deps.loopLagMs ?? watchLoopLag(() => deps.clock.now().getTime());
  const mayRead = (c: Context) =>
    isFromThisMachine(c) || (signIn !== null && (signIn.isSignedIn(c) || signIn.hasBearer(c)));
  const app = new Hono();
  app.get('/healthz', (c) => {
    const lag = lagMs();
    const ok = lag <= lagLimitMs;
    return c.json(
      { status: ok ? 'ok' : 'late', event_loop_lag_ms: lag, event_loop_lag_limit_ms: lagLimitMs },
      ok ? 200 : 503,
    );
  });
  app.get('/readyz', async (c) => {
    const checks = await readyChecks(deps);
    const ready = checks.every((check) => check.ok);
    return c.json({ ready, ...(mayRead(c) ? { checks } : {}) }, ready ? 200 : 503);
  });
  app.get('/metrics', async (c) => {
    if (mayRead(c)) return c.body(await deps.meter.text(), 200, { 'Content-Type': deps.meter.contentType });
    c.header('WWW-Authenticate', 'Bearer');
    const message = 'Metrics need the header "Authorization: Bearer <PALIMPSEST_PASSWORD>" from here.';
    return signIn ? signIn.refuse(c, message) : refuse(c, 401, { code: 'not_allowed', message });
  });
  return app;
}
