import { GatewayError, type EngineFactory } from '@palimpsest/core';

export interface EngineRegistry {
  /** Names that can stand in `context.engine`. */
  readonly names: readonly string[];
  /** Factories that were refused because their name was taken: one operator-readable line each. */
  readonly warnings: readonly string[];
  /** Never fails: an unknown name gives the compressor and a warning. */
  find(name: string): { factory: EngineFactory; warning: string | null };
}

const builtIn = 'compressor';

/**
 * Engines by name. Of two with one name the first wins. `problems` tells of names that are known and cannot be used.
 * throws engine_unknown when the built-in engine is not among them
 */
export function engineRegistry(
  factories: readonly EngineFactory[],
  problems: ReadonlyMap<string, string> = new Map(),
): EngineRegistry {
  const byName = new Map<string, EngineFactory>();
  const warnings: string[] = [];
  for (const factory of factories) {
    if (byName.has(factory.name))
      warnings.push(`a second context engine named ${JSON.stringify(factory.name)} was refused; rename it`);
    else byName.set(factory.name, factory);
  }
  const fallback = byName.get(builtIn);
  if (!fallback)
    throw new GatewayError(
      'engine_unknown',
      `the engine "${builtIn}" is missing among ${[...byName.keys()].join(', ') || 'no engines'}; hand it in`,
    );
  return { names: [...byName.keys()], warnings, find };

  function find(name: string): { factory: EngineFactory; warning: string | null } {
    const factory = byName.get(name);
    if (factory) return { factory, warning: null };
    const problem = problems.get(name);
    if (problem !== undefined) {
      const warning = `context engine ${JSON.stringify(name)} cannot be used: ${problem}; the compressor takes its place`;
      return { factory: fallback!, warning };
    }
    const known = [...byName.keys()].join(', ');
    return {
      factory: fallback!,
      warning: `context engine ${JSON.stringify(name)} is not known (known: ${known}); the compressor takes its place`,
    };
  }
}
