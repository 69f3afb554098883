import type { McpServerConfig } from '@palimpsest/core';
import { expandValues } from './expand-values.ts';

/** A server as it is started or called, with the secrets in place. */
export interface ServerPlan {
  name: string;
  config: McpServerConfig;
  env: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  /** Why it cannot be tried at all; null: it can. */
  problem: string | null;
}

/** What a program gets of our environment without being named; never our keys and tokens. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/** Put the environment's values into the config of a server. */
export function planServer(
  name: string,
  config: McpServerConfig,
  variables: Readonly<Record<string, string | undefined>>,
): ServerPlan {
  const own = expandValues(config.env, variables);
  const headers = expandValues(config.headers, variables);
  const base = inherited.flatMap((key) => (variables[key] ? [[key, variables[key]] as const] : []));
  const missing = [...new Set([...own.missing, ...headers.missing])];
  return {
    name,
    config,
    env: { ...Object.fromEntries(base), ...own.values },
    headers: headers.values,
    problem: missing.length === 0 ? null : `${missing.join(', ')} is not set; put it into .env`,
  };
}
