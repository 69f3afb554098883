import type { Clock, Config, Logger, ServerTool, ToolServers } from '@palimpsest/core';
import { planServer } from './server-plan.ts';
import { ServerConnection } from './server-connection.ts';

export interface ToolServersInput {
  config: Pick<Config, 'mcp_servers'>;
  /** The environment, for `${NAME}` in the config and PATH, HOME and the like. */
  variables: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
}

/** Start all servers of the config, each by itself; nothing here waits for one or fails with one. */
export function openToolServers({ config, variables, clock, logger }: ToolServersInput): ToolServers {
  const connections = new Map(
    Object.entries(config.mcp_servers).map(([name, server]) => [
      name,
      new ServerConnection(planServer(name, server, variables), { clock, logger }),
    ]),
  );
  const all = [...connections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, connection]) => connection);
  for (const connection of all) connection.start();
  return {
    async offered() {
      await Promise.all(all.map((connection) => connection.settled));
      return withOneName(all.flatMap((connection) => connection.tools()));
    },
    async call(tool, input, signal) {
      const connection = connections.get(tool.server);
      if (connection) return connection.call(tool, input, signal);
      return { text: `the tool server "${tool.server}" is no longer in the config`, isError: true };
    },
    status: () => all.map((connection) => connection.status()),
    async close() {
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
}

/** `a` with tool `b_c` and `a_b` with tool `c` come to one name: the first keeps it, the other is left out. */
function withOneName(tools: readonly ServerTool[]): readonly ServerTool[] {
  const seen = new Set<string>();
  return tools.filter(({ schema }) => !seen.has(schema.name) && seen.add(schema.name));
}
