import {
  GatewayError,
  type Config,
  type EngineFactory,
  type Logger,
  type Store,
  type Summariser,
} from '@palimpsest/core';
import { compressorFactory, dcpFactory, lcmFactory } from '@palimpsest/engines';

export interface EngineParts {
  config: Config;
  store: Pick<Store, 'lcm' | 'dcp'>;
  logger: Logger;
  /** Reads expanded text and answers with it. */
  reader: Summariser;
}

/** The context engines of this program. */
export function installedEngines({ config, store, logger, reader }: EngineParts): readonly EngineFactory[] {
  return [
    compressorFactory(config),
    lcmFactory({ config, store: store.lcm, reader }),
    dcpFactory({ config, store: store.dcp, logger }),
  ];
}

/** Names that can stand in `context.engine`. */
export function engineNames(): readonly string[] {
  return ['compressor', 'lcm', 'dcp'];
}

/** throws engine_unknown with the names there are */
export function checkEngine(name: string): string {
  const names = engineNames();
  if (names.includes(name)) return name;
  throw new GatewayError(
    'engine_unknown',
    `there is no context engine ${JSON.stringify(name)}; allowed: ${names.join(', ')}.`,
  );
}
