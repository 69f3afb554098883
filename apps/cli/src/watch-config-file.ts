import { readFileSync } from 'node:fs';
import {
  GatewayError,
  takeLiveKeys,
  type ChangedKeys,
  type Clock,
  type Config,
  type Logger,
  type Meter,
} from '@palimpsest/core';

const everyMs = 5_000;
const name = 'gateway_config_last_reload_successful';

export interface ConfigWatch {
  /** Null: there is no file, and none is looked for. */
  path: string | null;
  /** The one in use. */
  config: Config;
  /** Reads what is on disk; throws what is wrong with it. */
  read(): Config;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/**
 * Follow the config file: what it says of access, groups and who the bot is holds within seconds, everything else from the
 * next start on, which is told. A file that would be refused changes nothing, and what is wrong with it is told once.
 */
export async function watchConfigFile(watch: ConfigWatch, signal: AbortSignal): Promise<void> {
  const { path, clock, meter } = watch;
  meter.set(name, 1);
  if (path === null) return;
  let seen = textOf(path);
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal);
    const text = textOf(path);
    if (signal.aborted || text === seen) continue;
    seen = text;
    meter.set(name, reload(watch, path) ? 1 : 0);
  }
}

/** False: it would be refused. */
function reload({ config, read, logger }: ConfigWatch, path: string): boolean {
  try {
    tell({ ...takeLiveKeys(config, read()) }, path, logger);
    return true;
  } catch (thrown) {
    const problem = thrown instanceof GatewayError ? thrown.message : 'it cannot be read';
    logger.error({ path, problem }, 'the config on disk would be refused; the one in use stays');
    return false;
  }
}

/** Names of keys and none of their values. */
function tell({ taken, waiting }: ChangedKeys, path: string, logger: Logger): void {
  if (taken.length > 0)
    logger.info({ path, keys: taken }, 'the config was changed; these keys hold from now on');
  if (waiting.length > 0)
    logger.warn({ path, keys: waiting }, 'the config was changed; these keys hold from the next start on');
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
