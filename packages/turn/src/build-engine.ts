import type { ContextEngine, Session } from '@palimpsest/core';
import type { TurnDeps } from './deps.ts';

/**
 * The session's engine from its stored state. One that is not installed is stood in for by the built-in one, aloud.
 *
 * known  the state of the session's engine where it was just read; undefined: not read
 */
export async function buildEngine(
  { findEngine, logger, store, model }: Pick<TurnDeps, 'findEngine' | 'logger' | 'store' | 'model'>,
  session: Session,
  known?: unknown,
): Promise<ContextEngine> {
  const { factory, warning } = findEngine(session.engine);
  if (warning) logger.warn({ sessionId: session.id, engine: session.engine }, warning);
  const state = factory.load
    ? await factory.load(session)
    : factory.name === session.engine && known !== undefined
      ? known
      : await store.turns.engineState(session.id, factory.name);
  return factory.create({ session, model: model.info, state });
}
