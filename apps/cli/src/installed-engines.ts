import { defaultConfig, GatewayError, type Config, type EngineFactory } from '@palimpsest/core';
import { compressorFactory, engineRegistry } from '@palimpsest/engines';

/** The context engines of this program. */
export function installedEngines(config: Config): readonly EngineFactory[] {
  return [compressorFactory(config)];
}

/** Names that can stand in `context.engine`. */
export function engineNames(): readonly string[] {
  return engineRegistry(installedEngines(defaultConfig())).names;
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
