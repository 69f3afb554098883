import { Hono } from 'hono';
import type { PagesDeps } from '../deps.ts';
import { errorResponse, inputInvalid } from '../error-response.ts';
import { hideTexts } from '../guards/hide-texts.ts';
import { originGuard } from '../guards/origin-guard.ts';
import type { Role } from '../guards/person.ts';
import { openDoor } from '../guards/sign-in.ts';
import { AnswerFeed } from '../live/answer-feed.ts';
import { eventStream } from '../live/event-stream.ts';
import { LiveAnswers, type Answer } from '../live/live-answers.ts';
import type { NoticeHub } from '../live/notice-hub.ts';
import { SharedReads } from '../live/shared-reads.ts';
import { sessionRoutes } from './session-routes.ts';

/** What may be asked for: answers that are the same for everybody of a role. */
const readable = ['/api/overview', '/api/sessions', '/api/compactions', '/api/queues'];
const mostPaths = 6;
const longestPath = 300;
/** Pages of one kind ask the same; whoever makes up questions pushes those out that nobody follows. */
const mostKept = 100;
/** A look follows a notice and must see what it told of; what adds up a whole day may still be some seconds old. */
const keptFromMs = 1_000;

/** `GET /api/live?read=PATH&read=…`: the answers of these paths, told as they change. */
export function liveRoutes(deps: PagesDeps, hub: NoticeHub): Hono {
  const app = new Hono();
  const asked = { viewer: answersFor('viewer', deps, hub), operator: answersFor('operator', deps, hub) };
  const known = new Map<string, LiveAnswers>();
  app.get('/api/live', originGuard, (c) => {
    const paths = checked(c.req.queries('read') ?? []);
    const { role } = c.get('person');
    const key = JSON.stringify([role, paths]);
    const answers = known.get(key) ?? new LiveAnswers({ paths, ask: asked[role] }, hub, deps.clock);
    if (known.size >= mostKept) known.clear();
    known.set(key, answers);
    return eventStream(c, new AnswerFeed(answers), { bell: answers, clock: deps.clock });
  });
  return app;
}

function checked(paths: readonly string[]): readonly string[] {
  const isReadable = (path: string): boolean =>
    path.length <= longestPath && readable.includes(path.split('?')[0]!);
  if (paths.length > 0 && paths.length <= mostPaths && paths.every(isReadable)) return paths;
  throw inputInvalid(`read has to name 1 to ${mostPaths} of ${readable.join(', ')}`);
}

/** What a request of that role is answered. */
function answersFor(role: Role, deps: PagesDeps, hub: NoticeHub): (path: string) => Promise<Answer> {
  const app = new Hono();
  app.onError((thrown, c) => errorResponse(thrown, c, deps.logger));
  app.use(openDoor(role));
  app.use('/api/*', hideTexts);
  app.route('/', sessionRoutes(deps, hub, new SharedReads(deps.clock, keptFromMs)));
  return async (path) => {
    const answer = await app.request(path);
    return { ok: answer.ok, text: await answer.text() };
  };
}
