import { dirname, join } from 'node:path';
import {
  GatewayError,
  type Config,
  type EngineFactory,
  type Logger,
  type Meter,
  type Store,
  type Summariser,
} from '@palimpsest/core';
import { compressorFactory, dcpFactory, lcmFactory } from '@palimpsest/engines';
import { findPlugIns } from '@palimpsest/worker';

export interface EngineParts {
  config: Config;
  store: Pick<Store, 'lcm' | 'dcp'>;
  logger: Logger;
  meter: Meter;
  /** Reads expanded text and answers with it. */
  reader: Summariser;
  /** Tried when the summary model fails. */
  fallbacks?: readonly Summariser[];
  /** Puts what these two cost on a session's bill. */
  onBill?: (summariser: Summariser, sessionId: string) => Summariser;
}

/** The context engines of this program. */
export function installedEngines({
  config,
  store,
  logger,
  meter,
  ...models
}: EngineParts): readonly EngineFactory[] {
  return [
    compressorFactory(config),
    lcmFactory({ config, store: store.lcm, meter, ...models }),
    dcpFactory({ config, store: store.dcp, logger }),
  ];
}

export const bundledEngines: readonly string[] = ['compressor', 'lcm', 'dcp'];

/** Where plug-in engines stand: beside the config file. */
export function plugInFolderOf(configPath: string): string {
  return join(dirname(configPath), 'plugins', 'context_engine');
}

/**
 * Names that can stand in `context.engine`: ours, then those of the installed plug-ins, whether or not they can be loaded
 * (a broken one is stood in for, aloud). Without a path to the config file ours only.
 */
export function engineNames(configPath?: string): readonly string[] {
  if (configPath === undefined) return bundledEngines;
  const plugIns = findPlugIns(plugInFolderOf(configPath)).map(({ name }) => name);
  return [...new Set([...bundledEngines, ...plugIns])];
}

/** throws engine_unknown with the names there are */
export function checkEngine(name: string, configPath?: string): string {
  const names = engineNames(configPath);
  if (names.includes(name)) return name;
  throw new GatewayError(
    'engine_unknown',
    `there is no context engine ${JSON.stringify(name)}; allowed: ${names.join(', ')}.`,
  );
}
