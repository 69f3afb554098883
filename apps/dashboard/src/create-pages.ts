import { Hono, type Context } from 'hono';
import { chatRoutes } from './api/chat-routes.ts';
import { dcpRoutes } from './api/dcp-routes.ts';
import { lcmRoutes } from './api/lcm-routes.ts';
import { oneSessionRoutes } from './api/one-session-routes.ts';
import { palimpsestRoutes } from './api/palimpsest-routes.ts';
import { sessionRoutes } from './api/session-routes.ts';
import type { PagesDeps } from './deps.ts';
import { errorResponse, refuse } from './error-response.ts';
import { hostGuard } from './guards/host-guard.ts';
import { writeGuard } from './guards/origin-guard.ts';
import { securityHeaders } from './guards/security-headers.ts';
import { SignIn } from './guards/sign-in.ts';
import { healthRoutes } from './health/health-routes.ts';
import { assetRoutes } from './html/assets.ts';
import { shellPage, type Shell } from './html/shell.ts';
import { NoticeHub } from './live/notice-hub.ts';

/**
 * Every route of the dashboard, in the order a request meets them:
 *
 *   headers → mounted routes → probes → Host → our Origin (writes) → assets, sign-in → password → pages and API
 */
export function createPages(deps: PagesDeps): Hono {
  const app = new Hono();
  const signIn = deps.password === null ? null : new SignIn(deps.password, deps.clock);
  app.onError((thrown, c) => errorResponse(thrown, c, deps.logger));
  app.notFound((c) => refuse(c, 404, { code: 'row_missing', message: 'There is no such page.' }));
  app.use(securityHeaders);
  deps.mount?.(app);
  app.route('/', healthRoutes(deps, signIn));
  app.use(hostGuard(deps.config.server.public_host));
  app.use(writeGuard);
  if (deps.listener === null) return app;
  app.route('/', assetRoutes());
  if (signIn) {
    app.route('/', signIn.routes());
    app.use(signIn.guard());
  }
  const hub = new NoticeHub(deps.notices, deps.logger);
  app.route('/', pageRoutes(deps));
  app.route('/', sessionRoutes(deps, hub));
  app.route('/', oneSessionRoutes(deps));
  app.route('/', palimpsestRoutes(deps));
  app.route('/', dcpRoutes(deps));
  app.route('/', lcmRoutes(deps));
  app.route('/', chatRoutes(deps, deps.listener, hub));
  return app;
}

function pageRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  const page = (c: Context, shell: Omit<Shell, 'signOut'>) =>
    shellPage(c, { ...shell, signOut: deps.password !== null });
  const model = { model: deps.modelLabel, window: String(deps.windowTokens) };
  const sessions = (c: Context) =>
    page(c, {
      title: 'Sessions',
      here: 'sessions',
      script: 'sessions-page.js',
      styles: ['base.css', 'operators.css', 'tables.css'],
      data: model,
    });
  app.get('/', sessions);
  app.get('/sessions', sessions);
  app.get('/sessions/:id', (c) =>
    page(c, {
      title: 'Session',
      here: 'sessions',
      script: 'session-page.js',
      styles: ['base.css', 'operators.css', 'tables.css', 'session.css', 'palimpsest.css', 'engine.css'],
      data: { ...model, session: c.req.param('id') },
    }),
  );
  app.get('/chat', (c) =>
    page(c, {
      title: 'Chat',
      here: 'chat',
      script: 'chat-page.js',
      styles: ['base.css', 'chat.css'],
      data: { ...model, chat: 'main' },
    }),
  );
  return app;
}
