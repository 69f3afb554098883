import { pathToFileURL } from 'node:url';
import type { Config, EngineFactory, Logger } from '@palimpsest/core';
import { findPlugIns, type PlugInFolder } from './find-plug-ins.ts';
import { guardFactory } from './guard-factory.ts';
import { plugInHost } from './plug-in-host.ts';

export interface PlugIns {
  factories: readonly EngineFactory[];
  /** Plug-ins that cannot be used, with the reason; the built-in engine stands in for them. */
  problems: ReadonlyMap<string, string>;
}

export interface LoadInput {
  /** `plugins/context_engine` beside the config file. */
  folder: string;
  /** Names of our own engines: a plug-in cannot take one. */
  taken: readonly string[];
  config: Config;
  logger: Logger;
}

/** A plug-in that has not come to an end of its loading by then is left out. */
const loadMs = 10_000;

/**
 * Load the installed plug-ins. Loaded is not active: an engine runs only where the config or a chat names it. Never fails:
 * a broken one becomes a problem with a warning in the log.
 */
export async function loadPlugIns(input: LoadInput): Promise<PlugIns> {
  const factories: EngineFactory[] = [];
  const problems = new Map<string, string>();
  for (const plugIn of findPlugIns(input.folder)) {
    const loaded = await loadOne(plugIn, input);
    if (typeof loaded !== 'string') factories.push(loaded);
    else {
      problems.set(plugIn.name, loaded);
      input.logger.warn({ engine: plugIn.name, problem: loaded }, 'a plug-in engine cannot be used');
    }
  }
  return { factories, problems };
}

/** The guarded factory, or what is wrong. */
async function loadOne({ name, entry }: PlugInFolder, input: LoadInput): Promise<EngineFactory | string> {
  const { taken, config, logger } = input;
  if (taken.includes(name)) return 'its name is that of an engine of ours; rename its folder and its engine';
  if (entry === null)
    return 'its folder holds no index.ts, index.js or index.mjs that calls registerContextEngine';
  const { host, registered } = plugInHost(config);
  try {
    await withinLimit(runEntry(entry, host));
  } catch (thrown) {
    return `it failed while it was loaded: ${wordsOf(thrown)}`;
  }
  const [factory, second] = registered;
  if (!factory) return 'its function register did not call registerContextEngine';
  if (second) logger.warn({ engine: name }, 'a plug-in registered more than one engine; the first is used');
  const { name: given, create } = factory as Partial<EngineFactory>;
  if (given !== name) return `it registered the name ${JSON.stringify(given)}; it must be that of its folder`;
  if (typeof create !== 'function') return 'what it registered has no function create';
  return guardFactory(factory, { config, logger });
}

async function runEntry(entry: string, host: unknown): Promise<void> {
  const module = (await import(pathToFileURL(entry).href)) as { register?: unknown };
  if (typeof module.register !== 'function') throw new TypeError('it exports no function register');
  await (module.register as (host: unknown) => unknown)(host);
}

async function withinLimit(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not loaded within ${loadMs} ms`)), loadMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function wordsOf(thrown: unknown): string {
  return (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown))
    .split('\n')[0]!
    .slice(0, 300);
}
