import { Hono } from 'hono';
import { actionRoutes } from './api/action-routes.ts';
import { boardRoutes } from './api/board-routes.ts';
import { chatRoutes } from './api/chat-routes.ts';
import { dcpRoutes } from './api/dcp-routes.ts';
import { deadRoutes } from './api/dead-routes.ts';
import { deliveryRoutes } from './api/delivery-routes.ts';
import { lcmRoutes } from './api/lcm-routes.ts';
import { liveRoutes } from './api/live-routes.ts';
import { oneAttemptRoutes } from './api/one-attempt-routes.ts';
import { oneSessionRoutes } from './api/one-session-routes.ts';
import { palimpsestRoutes } from './api/palimpsest-routes.ts';
import { sessionRoutes } from './api/session-routes.ts';
import type { PagesDeps } from './deps.ts';
import { errorResponse, refuse } from './error-response.ts';
import { bodyGuard } from './guards/body-guard.ts';
import { hideTexts } from './guards/hide-texts.ts';
import { hostGuard } from './guards/host-guard.ts';
import { writeGuard } from './guards/origin-guard.ts';
import { csrfGuard, operatorsOnly } from './guards/person.ts';
import { securityHeaders } from './guards/security-headers.ts';
import { openDoor, SignIn } from './guards/sign-in.ts';
import { healthRoutes } from './health/health-routes.ts';
import { assetRoutes } from './html/assets.ts';
import { pageRoutes } from './html/page-routes.ts';
import { NoticeHub } from './live/notice-hub.ts';
import { SharedReads } from './live/shared-reads.ts';
import { QueueBoard } from './queues/queue-board.ts';

/**
 * Every route of the dashboard, in the order a request meets them:
 *
 *   headers → mounted routes → probes → Host → our Origin (writes) → length of the body → assets, sign-in → who it is → pages and API
 */
export function createPages(deps: PagesDeps): Hono {
  const app = new Hono();
  const signIn = signInOf(deps);
  app.onError((thrown, c) => errorResponse(thrown, c, deps.logger));
  app.notFound((c) => refuse(c, 404, { code: 'row_missing', message: 'There is no such page.' }));
  app.use(securityHeaders);
  deps.mount?.(app);
  app.route('/', healthRoutes(deps, signIn));
  app.use(hostGuard(deps.config.server.public_host));
  app.use(writeGuard);
  app.use(bodyGuard);
  if (deps.listener === null) return app;
  app.route('/', assetRoutes());
  if (signIn) {
    app.route('/', signIn.routes());
    app.use(signIn.guard());
  } else app.use(openDoor(deps.config.dashboard.role_without_password));
  app.use('/api/*', hideTexts);
  // Whoever writes here speaks as the local person, and reads what was said.
  app.use('/chat', operatorsOnly);
  app.use('/api/chat/*', operatorsOnly);
  // Without a password the token is another one after a restart, and a chat that is open goes on then.
  if (signIn) app.post('/api/chat/*', csrfGuard);
  const hub = new NoticeHub(deps.notices, deps.logger);
  const shared = new SharedReads(deps.clock);
  const queues = new QueueBoard(deps);
  app.route('/', pageRoutes(deps));
  app.all('/queues/board', queues.handle);
  app.all('/queues/board/*', queues.handle);
  app.route('/', sessionRoutes(deps, hub, shared));
  app.route('/', liveRoutes(deps, hub));
  app.route('/', boardRoutes(deps, hub, shared));
  app.route('/', deliveryRoutes(deps));
  app.route('/', deadRoutes(deps));
  app.route('/', actionRoutes(deps, shared));
  app.route('/', oneSessionRoutes(deps));
  app.route('/', oneAttemptRoutes(deps));
  app.route('/', palimpsestRoutes(deps));
  app.route('/', dcpRoutes(deps));
  app.route('/', lcmRoutes(deps));
  app.route('/', chatRoutes(deps, deps.listener, hub));
  return app;
}

/** Null: nobody is asked for a password, and only this machine is answered. */
function signInOf({ password, viewerPassword, config, clock }: PagesDeps): SignIn | null {
  const passwords = {
    ...(password === null ? {} : { operator: password }),
    ...(viewerPassword ? { viewer: viewerPassword } : {}),
  };
  if (Object.keys(passwords).length === 0) return null;
  return new SignIn({ passwords, signedInDays: config.dashboard.signed_in_days, clock });
}
