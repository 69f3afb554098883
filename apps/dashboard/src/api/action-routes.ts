import { Hono, type Context } from 'hono';
import { stream } from 'hono/streaming';
import { z } from 'zod';
import { never, type ActRefusal, type Actor, type Command, type OperatorAct } from '@palimpsest/core';
import { exportSession } from '@palimpsest/turn';
import type { PagesDeps } from '../deps.ts';
import { inputInvalid, notDone, sessionMissing } from '../error-response.ts';
import { csrfGuard, operatorsOnly } from '../guards/person.ts';
import { originGuard } from '../guards/origin-guard.ts';
import type { SharedReads } from '../live/shared-reads.ts';
import { actorOf } from './actor-of.ts';
import { readQuery, whole } from './read-query.ts';

/** What may be done to a session; `confirm` is the end of its id, typed by a person. */
const wishes = z.discriminatedUnion('act', [
  z.object({ act: z.literal('compact'), focus: z.string().max(500).default('') }),
  z.object({ act: z.literal('preview'), focus: z.string().max(500).default('') }),
  z.object({ act: z.literal('undo_compaction') }),
  z.object({ act: z.literal('reset_rests') }),
  z.object({ act: z.literal('release_lease') }),
  z.object({ act: z.literal('switch_engine'), name: z.string().min(1).max(200) }),
  z.object({ act: z.literal('switch_model'), name: z.string().min(1).max(200) }),
  z.object({ act: z.literal('erase'), confirm: z.string() }),
]);
type Wish = z.output<typeof wishes>;

/** What came of it. `request`: a worker does it, its state is asked for by this number. */
interface Done {
  done?: string;
  request?: number;
  preview?: object;
}

const requestPlace = z.object({
  id: z.string(),
  seq: whole({ least: 1, most: Number.MAX_SAFE_INTEGER, usual: 1 }),
});
const breaker = z.object({ provider: z.string().min(1).max(200), model: z.string().min(1).max(200) });

/** What operators do to a session: by the same ways as the command line, each with a row of who did it. */
export function actionRoutes(deps: PagesDeps, shared: SharedReads): Hono {
  const app = new Hono();
  app.post('/api/sessions/:id/act', operatorsOnly, csrfGuard, async (c) => {
    const wish = await readBody(c, wishes);
    const done = await carryOut(deps, { id: c.req.param('id'), wish, actor: actorOf(c) });
    shared.forget('brakes');
    return c.json(done);
  });
  app.get('/api/sessions/:id/requests/:seq', operatorsOnly, async (c) => {
    const { id: sessionId, seq } = readQuery(c, requestPlace);
    const { state, answer } = await deps.operators.requestState({ sessionId, seq });
    return c.json({ state, answer });
  });
  app.get('/api/sessions/:id/choices', operatorsOnly, (c) => c.json(deps.context.choices()));
  app.get('/api/sessions/:id/export', operatorsOnly, originGuard, async (c) => download(c, deps));
  app.post('/api/breakers/reset', operatorsOnly, csrfGuard, async (c) => {
    const refusal = await deps.actions.resetBreaker(await readBody(c, breaker), actorOf(c));
    if (refusal) throw notDone('This model is asked already.');
    shared.forget('brakes');
    return c.json({ done: 'It is asked again.' });
  });
  return app;
}

async function carryOut(
  deps: PagesDeps,
  { id, wish, actor }: { id: string; wish: Wish; actor: Actor },
): Promise<Done> {
  const { actions } = deps;
  switch (wish.act) {
    case 'compact':
      return ask(deps, { id, actor, act: 'compact', command: { name: 'compress', argument: wish.focus } });
    case 'undo_compaction':
      return ask(deps, { id, actor, act: wish.act, command: { name: wish.act, argument: '' } });
    case 'switch_engine':
      return ask(deps, {
        id,
        actor,
        act: wish.act,
        command: { name: 'engine', argument: wish.name },
        target: wish.name,
      });
    case 'switch_model':
      return ask(deps, {
        id,
        actor,
        act: wish.act,
        command: { name: 'model', argument: wish.name },
        target: wish.name,
      });
    case 'preview': {
      const preview = await deps.context.preview(id, wish.focus.trim() || undefined);
      if (!preview) throw sessionMissing(id);
      await actions.note({ actor, act: 'preview', sessionId: id });
      return { preview };
    }
    case 'reset_rests':
      return told(
        await actions.resetRests(id, actor),
        'Automatic compaction may try again with the next message.',
      );
    case 'release_lease': {
      const refusal = await actions.releaseLease(id, actor);
      if (!refusal) await wake(deps, id);
      return told(refusal, 'Taken from its holder; any worker may go on with it.');
    }
    case 'erase':
      return erase(deps, { id, confirm: wish.confirm, actor });
    default:
      return never(wish);
  }
}

interface Asked {
  id: string;
  actor: Actor;
  act: OperatorAct;
  command: Command;
  target?: string;
}

/** A worker that holds (or takes) the session does it; the page asks for the answer. */
async function ask(deps: PagesDeps, { id, ...asked }: Asked): Promise<Done> {
  if (!(await deps.leases.holder('sweeper')))
    throw notDone(
      'No worker is running, and only a worker may change a session. Start one with npm start or palimpsest worker.',
    );
  const request = await deps.actions.request(id, asked);
  await wake(deps, id);
  return { request: request.seq };
}

async function wake({ queue, logger }: PagesDeps, sessionId: string): Promise<void> {
  await queue.wake(sessionId).catch(() => {
    logger.warn({ sessionId }, "wake-up not queued; the worker's sweeper will find the request");
  });
}

async function erase(
  deps: PagesDeps,
  { id, confirm, actor }: { id: string; confirm: string; actor: Actor },
): Promise<Done> {
  if (confirm.trim() !== id.slice(-8))
    throw inputInvalid(`nothing is erased: type the last 8 characters of the session's id, ${id.slice(-8)}`);
  await deps.actions.note({ actor, act: 'erase', sessionId: id });
  const { messages, summaries, payloads } = await deps.erase.session(id);
  return { done: `Erased ${messages} messages, ${summaries} summaries and ${payloads} files.` };
}

/** JSON lines; the row of who took it is written before the first one. */
async function download(c: Context, deps: PagesDeps): Promise<Response> {
  const id = c.req.param('id') ?? '';
  if (!(await deps.operators.session(id))) throw sessionMissing(id);
  await deps.actions.note({ actor: actorOf(c), act: 'export', sessionId: id });
  c.header('Content-Type', 'application/x-ndjson; charset=utf-8');
  c.header('Content-Disposition', `attachment; filename="session-${id.replaceAll(/[^\w-]/g, '')}.jsonl"`);
  return stream(c, async (out) => {
    for await (const line of exportSession(deps, id)) await out.write(`${JSON.stringify(line)}\n`);
  });
}

const refusals: Readonly<Record<ActRefusal, string>> = {
  busy: 'A worker holds this session just now. Try again when it does not answer, or release its lease first.',
  nothing_to_do: 'Nobody holds this session.',
  missing: 'There is no session with this id.',
};

function told(refusal: ActRefusal | null, done: string): Done {
  if (refusal) throw notDone(refusals[refusal]);
  return { done };
}

async function readBody<Shape extends z.ZodType>(c: Context, shape: Shape): Promise<z.output<Shape>> {
  const parsed = shape.safeParse(await c.req.json().catch(() => null));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw inputInvalid(`${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not understood'}`);
}
