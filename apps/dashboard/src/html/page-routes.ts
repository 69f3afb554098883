import { Hono, type Context } from 'hono';
import type { PagesDeps } from '../deps.ts';
import { shellPage, type Shell } from './shell.ts';

const common = ['base.css', 'operators.css', 'tables.css'];

/** The pages themselves: each an empty shell that its script fills from the API. */
export function pageRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  const signOut = deps.password !== null || Boolean(deps.viewerPassword);
  const model = { model: deps.modelLabel, window: String(deps.windowTokens) };
  const page = (c: Context, shell: Omit<Shell, 'signOut' | 'person' | 'data'> & { data?: Shell['data'] }) =>
    shellPage(c, { data: model, ...shell, signOut, person: c.get('person') });
  const charts = [...common, 'vendor/uplot.css', 'boards.css', 'actions.css'];
  app.get('/', (c) =>
    page(c, { title: 'Overview', here: 'overview', script: 'overview-page.js', styles: charts }),
  );
  app.get('/sessions', (c) =>
    page(c, {
      title: 'Sessions',
      here: 'sessions',
      script: 'sessions-page.js',
      styles: [...common, 'boards.css', 'actions.css'],
    }),
  );
  app.get('/sessions/:id', (c) =>
    page(c, {
      title: 'Session',
      here: 'sessions',
      script: 'session-page.js',
      styles: [...common, 'session.css', 'palimpsest.css', 'engine.css', 'boards.css', 'actions.css'],
      data: { ...model, session: c.req.param('id') },
    }),
  );
  app.get('/compaction', (c) =>
    page(c, { title: 'Compaction', here: 'compaction', script: 'compaction-page.js', styles: charts }),
  );
  app.get('/deliveries', (c) =>
    page(c, {
      title: 'Deliveries',
      here: 'deliveries',
      script: 'deliveries-page.js',
      styles: [...common, 'boards.css', 'actions.css'],
    }),
  );
  app.get('/events', (c) =>
    page(c, {
      title: 'Events',
      here: 'events',
      script: 'events-page.js',
      styles: [...common, 'boards.css', 'actions.css'],
    }),
  );
  app.get('/queues', (c) =>
    page(c, {
      title: 'Queues',
      here: 'queues',
      script: 'queues-page.js',
      styles: [...common, 'boards.css', 'actions.css'],
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
