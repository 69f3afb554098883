import { estimateParts, estimateTokens, type Config, type EngineFactory } from '@palimpsest/core';
import { resolveModelThreshold } from '@palimpsest/engines';

/**
 * What the `register` function of a plug-in is handed. A plug-in imports nothing of ours while it runs (types are no
 * imports), so that it can stand in any folder.
 */
export interface PlugInHost {
  /** Called once, with the engine whose name is that of the plug-in's folder. */
  registerContextEngine(factory: EngineFactory): void;
  /** The whole configuration; not to be changed. */
  readonly config: Config;
  readonly resolveModelThreshold: typeof resolveModelThreshold;
  readonly estimateTokens: typeof estimateTokens;
  readonly estimateParts: typeof estimateParts;
}

/** A host that notes what is registered. */
export function plugInHost(config: Config): { host: PlugInHost; registered: EngineFactory[] } {
  const registered: EngineFactory[] = [];
  const host: PlugInHost = {
    registerContextEngine: (factory) => void registered.push(factory),
    config: structuredClone(config),
    resolveModelThreshold,
    estimateTokens,
    estimateParts,
  };
  return { host, registered };
}
