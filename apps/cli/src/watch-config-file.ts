import { readFileSync } from 'node:fs';
import { GatewayError, type Clock, type Logger, type Meter } from '@palimpsest/core';

const everyMs = 30_000;
const name = 'gateway_config_last_reload_successful';

export interface ConfigWatch {
  /** Null: there is no file, and none is looked for. */
  path: string | null;
  /** Reads what is on disk; throws what is wrong with it. */
  check(): void;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/**
 * Say when the file is no longer the one in use: that it is to be read at the next start, or what is wrong with it, once a
 * change. The config in use stays as it is.
 */
export async function watchConfigFile(watch: ConfigWatch, signal: AbortSignal): Promise<void> {
  const { path, clock, meter } = watch;
  meter.set(name, 1);
  if (path === null) return;
  const used = textOf(path);
  let seen = used;
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal);
    const text = textOf(path);
    if (signal.aborted || text === seen) continue;
    seen = text;
    meter.set(name, text === used ? 1 : 0);
    if (text !== used) tell(watch, path);
  }
}

function tell({ check, logger }: ConfigWatch, path: string): void {
  try {
    check();
    logger.warn({ path }, 'the config was changed; it holds from the next start on');
  } catch (thrown) {
    const problem = thrown instanceof GatewayError ? thrown.message : 'it cannot be read';
    logger.error({ path, problem }, 'the config on disk would be refused; the one in use stays');
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
