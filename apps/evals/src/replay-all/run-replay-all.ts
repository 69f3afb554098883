import { GatewayError } from '@palimpsest/core';
import type { EvalContext } from '../context.ts';
import { openServices } from '../services/open-services.ts';
import { matrix, nameOf, type MatrixEngine } from './matrix.ts';
import { runCell, type CellResult, type Servers } from './run-cell.ts';
import { resultTable } from './result-table.ts';

export interface ReplayAllOptions {
  engine: MatrixEngine;
  json: boolean;
  /** Only cells whose name contains every word of this text. */
  only: string;
  atOnce: number;
}

/** Replay the whole matrix, `atOnce` at a time. Exit code 1 when any cell broke a promise. */
export async function runReplayAll(context: EvalContext, options: ReplayAllOptions): Promise<number> {
  const words = options.only.split(/\s+/);
  const cells = matrix(options.engine).filter((cell) => words.every((word) => nameOf(cell).includes(word)));
  if (cells.length === 0)
    throw new GatewayError('input_invalid', `no replay matches --only ${JSON.stringify(options.only)}`);
  await using services = openServices(context, 'test');
  const redis = await services.redis();
  const servers: Servers = { databaseUrl: await services.databaseUrl(), redisUrl: redis.url };
  const startedAt = performance.now();
  const results: CellResult[] = Array.from({ length: cells.length });
  const waiting = cells.entries();
  const work = async (): Promise<void> => {
    for (const [index, cell] of waiting) {
      if (context.signal.aborted) return;
      const result = await runCell(cell, context, servers);
      results[index] = result;
      const problems = result.broken.length === 0 ? '' : `: ${result.broken.join('; ')}`;
      context.progress(`${problems === '' ? 'ok    ' : 'BROKEN'} ${nameOf(cell)}${problems}`);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  if (context.signal.aborted) return 130;
  const broken = results.filter((result) => result.broken.length > 0).length;
  const wallMs = Math.round(performance.now() - startedAt);
  if (options.json)
    context.print(
      `${JSON.stringify({ replays: cells.length, broken, wall_ms: wallMs, results: results.map(flat) })}\n`,
    );
  else context.print(resultTable(results, wallMs));
  return broken === 0 ? 0 : 1;
}

function flat({ cell, report, broken }: CellResult): object {
  return { ...cell, ok: broken.length === 0, broken, report };
}
