import { Hono } from 'hono';
import type { PagesDeps } from '../deps.ts';
import { shellPage, type Shell } from './shell.ts';

const common = ['base.css', 'operators.css', 'tables.css'];
const lists = [...common, 'boards.css', 'actions.css'];
const charts = [...common, 'vendor/uplot.css', 'boards.css', 'actions.css'];
const oneSession = [
  ...common,
  'session.css',
  'attempt.css',
  'context-bar.css',
  'palimpsest.css',
  'engine.css',
  'drawing.css',
  'boards.css',
  'actions.css',
];

interface Page extends Pick<Shell, 'title' | 'here' | 'styles'> {
  path: string;
  script: string;
}

const pages: readonly Page[] = [
  { path: '/', title: 'Overview', here: 'overview', script: 'overview-page.js', styles: charts },
  { path: '/sessions', title: 'Sessions', here: 'sessions', script: 'sessions-page.js', styles: lists },
  {
    path: '/sessions/:id',
    title: 'Session',
    here: 'sessions',
    script: 'session-page.js',
    styles: oneSession,
  },
  {
    path: '/compaction',
    title: 'Compaction',
    here: 'compaction',
    script: 'compaction-page.js',
    styles: charts,
  },
  {
    path: '/deliveries',
    title: 'Deliveries',
    here: 'deliveries',
    script: 'deliveries-page.js',
    styles: lists,
  },
  { path: '/events', title: 'Events', here: 'events', script: 'events-page.js', styles: lists },
  { path: '/queues', title: 'Queues', here: 'queues', script: 'queues-page.js', styles: lists },
  { path: '/chat', title: 'Chat', here: 'chat', script: 'chat-page.js', styles: ['base.css', 'chat.css'] },
];

/** The pages themselves: each an empty shell that its script fills from the API. */
export function pageRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  const signOut = deps.password !== null || Boolean(deps.viewerPassword);
  const model = { model: deps.modelLabel, window: String(deps.windowTokens) };
  for (const { path, ...page } of pages)
    app.get(path, (c) => {
      const session = c.req.param('id');
      const data = {
        ...model,
        ...(session === undefined ? {} : { session }),
        ...(page.here === 'chat' ? { chat: 'main' } : {}),
      };
      return shellPage(c, { ...page, data, signOut, person: c.get('person') });
    });
  return app;
}
