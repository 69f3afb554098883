import { silentLogger } from '@palimpsest/core';
import { loadPlugIns } from '@palimpsest/worker';
import { fine, problem, type Finding } from './finding.ts';
import { bundledEngines } from '../installed-engines.ts';
import type { Settings } from '../settings.ts';

/** The engine that new sessions run on; a plug-in is loaded to see whether it can be. */
export async function engineFinding({ config, plugInFolder: folder }: Settings): Promise<Finding> {
  const { engine } = config.context;
  if (bundledEngines.includes(engine)) return fine('engine', engine);
  const plugIns = await loadPlugIns({ folder, taken: bundledEngines, config, logger: silentLogger });
  const reason = plugIns.problems.get(engine);
  if (reason === undefined) return fine('engine', `${engine}, a plug-in in ${folder}`);
  return problem('engine', `${engine} cannot be used: ${reason}; the compressor takes its place`);
}
