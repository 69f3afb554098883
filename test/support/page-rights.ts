/** What is decided of every route of the pages: who is answered, and where an answer holds what was said. */
import type { SaidPlaces } from './said-everywhere.ts';

export interface Right {
  /** Where it is asked. */
  paths: readonly string[];
  /** Viewers are refused. */
  operatorsOnly?: true;
  /** An operator finds there what was said. */
  tells?: true;
  /** A live stream: the name of the event that is waited for. */
  stream?: string;
}

export interface RightPlaces extends SaidPlaces {
  /** A session of the engine with a graph, and what is in it. */
  graph: { id: string; node: string; row: number };
}

/** They stand before the routes and answer nothing themselves. */
export const guards = ['ALL /*', 'ALL /api/*', 'ALL /chat', 'ALL /api/chat/*'];

const figures = (...paths: string[]): Right => ({ paths });
const texts = (...paths: string[]): Right => ({ paths, tells: true });
const operators = (...paths: string[]): Right => ({ paths, operatorsOnly: true });

/** By method and path as the routes have them. */
export function pageRights(at: RightPlaces): Readonly<Record<string, Right>> {
  return { ...shells(at), ...overAll(at), ...ofSession(at), ...ofEngines(at), ...ofChat };
}

function shells({ graph }: RightPlaces): Readonly<Record<string, Right>> {
  return {
    'GET /healthz': figures('/healthz'),
    'GET /readyz': figures('/readyz'),
    'GET /metrics': figures('/metrics'),
    'GET /assets/*': figures('/assets/chat-page.js'),
    'GET /sign-in': figures('/sign-in'),
    'GET /': figures('/'),
    'GET /sessions': figures('/sessions'),
    'GET /sessions/:id': figures(`/sessions/${graph.id}`),
    'GET /compaction': figures('/compaction'),
    'GET /deliveries': figures('/deliveries'),
    'GET /events': figures('/events'),
    'GET /queues': figures('/queues'),
    'GET /chat': operators('/chat'),
    'ALL /queues/board': figures('/queues/board'),
    'ALL /queues/board/*': figures(
      '/queues/board/api/queues?activeQueue=turns&status=latest&page=1&jobsPerPage=50',
    ),
  };
}

function overAll({ message, replies }: RightPlaces): Readonly<Record<string, Right>> {
  return {
    'GET /api/overview': figures('/api/overview'),
    'GET /api/queues': figures('/api/queues'),
    'GET /api/sessions': texts('/api/sessions', '/api/sessions?search=goes&order=cost'),
    'GET /api/compactions': figures('/api/compactions?limit=500'),
    'GET /api/events': { paths: ['/api/events'], stream: 'hello' },
    'GET /api/events/recent': figures('/api/events/recent?limit=200'),
    'GET /api/events/stream': { paths: ['/api/events/stream?after=0'], stream: 'event' },
    'GET /api/live': {
      paths: ['/api/live?read=/api/sessions', '/api/live?read=/api/overview&read=/api/sessions?search=place'],
      stream: 'answers',
      tells: true,
    },
    'GET /api/board/compactions': figures('/api/board/compactions', '/api/board/compactions?hours=2'),
    'GET /api/board/brakes': texts('/api/board/brakes'),
    'GET /api/actions': figures('/api/actions'),
    'GET /api/deliveries': figures('/api/deliveries', '/api/deliveries?state=dead'),
    'GET /api/deliveries/:id': texts(`/api/deliveries/${replies.dead}`, `/api/deliveries/${replies.unknown}`),
    'GET /api/dead': figures('/api/dead'),
    'GET /api/dead/messages/:sessionId/:seq': texts(`/api/dead/messages/${message.sessionId}/${message.seq}`),
  };
}

function ofSession({ graph, condensed, blocks }: RightPlaces): Readonly<Record<string, Right>> {
  const each = (path: string): string[] =>
    [graph, condensed, blocks].map(({ id }) => `/api/sessions/${id}${path}`);
  const one = `/api/sessions/${condensed.id}`;
  const attempt = `${one}/compactions/${condensed.compaction}`;
  return {
    'GET /api/sessions/:id': texts(...each('')),
    'GET /api/sessions/:id/context': figures(...each('/context')),
    'GET /api/sessions/:id/compactions': texts(`${one}/compactions`),
    'GET /api/sessions/:id/compactions/:compaction/written': texts(
      `/api/sessions/${blocks.id}/compactions/${blocks.compaction}/written`,
    ),
    'GET /api/sessions/:id/compactions/:compaction/kept': figures(`${attempt}/kept`),
    'GET /api/sessions/:id/compactions/:compaction/changes': texts(`${attempt}/changes`),
    'GET /api/sessions/:id/palimpsest': texts(...each('/palimpsest')),
    'GET /api/sessions/:id/palimpsest/:row/rows': texts(`${one}/palimpsest/${condensed.summary}/rows`),
    'GET /api/sessions/:id/rows': texts(...each('/rows'), `${one}/rows?state=archived`),
    'GET /api/sessions/:id/rows/:row/text': texts(
      `${one}/rows/${condensed.summary}/text`,
      `/api/sessions/${graph.id}/rows/${graph.row}/text`,
    ),
    'GET /api/sessions/:id/requests/:seq': operators(`${one}/requests/1`),
    'GET /api/sessions/:id/choices': operators(`${one}/choices`),
    'GET /api/sessions/:id/export': { ...operators(`${one}/export`), tells: true },
  };
}

function ofEngines({ graph, blocks }: RightPlaces): Readonly<Record<string, Right>> {
  const lcm = `/api/sessions/${graph.id}/lcm`;
  const dcp = `/api/sessions/${blocks.id}/dcp`;
  return {
    'GET /api/sessions/:id/lcm': figures(lcm),
    'GET /api/sessions/:id/lcm/doctor': figures(`${lcm}/doctor`),
    'GET /api/sessions/:id/lcm/drawing': figures(`${lcm}/drawing`),
    'GET /api/sessions/:id/lcm/context': figures(`${lcm}/context`),
    'GET /api/sessions/:id/lcm/nodes': figures(`${lcm}/nodes?depth=0`),
    'GET /api/sessions/:id/lcm/nodes/:node': texts(`${lcm}/nodes/${graph.node}`),
    'GET /api/sessions/:id/lcm/nodes/:node/messages': texts(`${lcm}/nodes/${graph.node}/messages`),
    'GET /api/sessions/:id/dcp': figures(dcp),
    'GET /api/sessions/:id/dcp/blocks': texts(`${dcp}/blocks`),
    'GET /api/sessions/:id/dcp/map': texts(`${dcp}/map`),
    'GET /api/sessions/:id/dcp/blocks/:number/rows': texts(`${dcp}/blocks/1/rows`),
    'GET /api/sessions/:id/dcp/marks': figures(`${dcp}/marks`),
    'GET /api/sessions/:id/dcp/events': figures(`${dcp}/events`),
  };
}

const ofChat: Readonly<Record<string, Right>> = {
  'GET /api/chat/:chatId/history': { ...operators('/api/chat/test/history'), tells: true },
  'GET /api/chat/:chatId/events': {
    ...operators('/api/chat/test/events?after=0'),
    tells: true,
    stream: 'reply',
  },
};

/** What each route that changes something is sent: a wish that would be heard. */
export function pageWishes({
  message,
  replies,
  event,
  condensed,
}: RightPlaces): Readonly<Record<string, Wish>> {
  const dead = `/api/dead/messages/${message.sessionId}/${message.seq}`;
  const told = `/api/dead/events/${event.subscriber}/${event.id}`;
  const typed = { path: '/api/chat/test/messages', body: { id: 'forged', text: 'hi' } };
  return {
    'POST /api/chat/*': typed,
    'POST /api/chat/:chatId/messages': typed,
    'POST /api/sessions/:id/act': { path: `/api/sessions/${condensed.id}/act`, body: { act: 'preview' } },
    'POST /api/breakers/reset': {
      path: '/api/breakers/reset',
      body: { provider: 'custom', model: 'summariser' },
    },
    'POST /api/deliveries/:id/retry': { path: `/api/deliveries/${replies.dead}/retry` },
    'POST /api/deliveries/:id/drop': { path: `/api/deliveries/${replies.unknown}/drop` },
    'POST /api/dead/messages/:sessionId/:seq/retry': { path: `${dead}/retry` },
    'POST /api/dead/messages/:sessionId/:seq/drop': { path: `${dead}/drop` },
    'POST /api/dead/events/:subscriber/:eventId/retry': { path: `${told}/retry` },
    'POST /api/dead/events/:subscriber/:eventId/drop': { path: `${told}/drop` },
  };
}

export interface Wish {
  path: string;
  body?: object;
}

/** Before anybody is anybody, and the way out; both want the Origin of our pages. */
export const doors = ['POST /sign-in', 'POST /sign-out'];
