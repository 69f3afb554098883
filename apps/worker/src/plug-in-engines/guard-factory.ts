import type { Config, ContextEngine, EngineFactory, Logger, Session } from '@palimpsest/core';
import { compressorFactory } from '@palimpsest/engines';
import { Attempts } from './attempts.ts';
import { GuardedEngine } from './guard-engine.ts';

/** A claim waits for it; a state that has not been read by then never will be. */
const usualLoadMs = 30_000;

const functions = [
  'shouldCompress',
  'assemble',
  'compress',
  'updateFromResponse',
  'updateModel',
  'getToolSchemas',
  'handleToolCall',
  'enter',
  'leave',
  'onSessionStart',
  'onSessionEnd',
  'onSessionReset',
  'getStatus',
  'commands',
] as const satisfies readonly (keyof ContextEngine)[];

/**
 * The factory of a plug-in, whose engines cannot take a turn with them. One that cannot be built, or lacks a member, is
 * stood in for by the built-in engine for this claim.
 */
export function guardFactory(
  factory: EngineFactory,
  { config, logger, loadMs = usualLoadMs }: { config: Config; logger: Logger; loadMs?: number },
): EngineFactory {
  const builtIn = compressorFactory(config);
  const { name } = factory;
  const compressMs = config.compression.hygiene_total_ceiling_seconds * 1000;
  return {
    name,
    ...(factory.load ? { load: (session: Session) => loadState(factory, session, loadMs) } : {}),
    create(input) {
      const { id: sessionId } = input.session;
      const instead = builtIn.create({ ...input, state: null });
      const tell = (member: string, problem: string): void =>
        logger.warn(
          { sessionId, engine: name, member, problem },
          'a plug-in engine failed; the compressor stood in for it',
        );
      if (input.state instanceof Unread) {
        tell('load', input.state.problem);
        return instead;
      }
      try {
        const engine = factory.create(input);
        const problem = problemOf(engine, name);
        if (problem === null) return new GuardedEngine(engine, { builtIn: instead, tell, compressMs });
        tell('create', problem);
      } catch (thrown) {
        tell('create', thrown instanceof Error ? thrown.name : typeof thrown);
      }
      return instead;
    },
  };
}

/** A state that is there and could not be read: an engine that began anew would write over it. */
class Unread {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

function loadState(factory: EngineFactory, session: Session, limitMs: number): Promise<unknown> {
  let problem = '';
  const attempts = new Attempts((_member, why) => (problem = why));
  return attempts.later<unknown>(limitMs, {
    member: 'load',
    ask: async () => factory.load?.(session),
    isSound: () => true,
    instead: () => Promise.resolve(new Unread(problem)),
  });
}

/** What keeps an engine from being used; null: nothing. */
function problemOf(engine: unknown, name: string): string | null {
  if (typeof engine !== 'object' || engine === null) return 'create gave no engine';
  const given = engine as Record<string, unknown>;
  const missing = functions.filter((member) => typeof given[member] !== 'function');
  if (typeof given['systemText'] !== 'string') return 'its systemText is no text';
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`;
  return given['name'] === name ? null : 'its name is another than that of its folder';
}
