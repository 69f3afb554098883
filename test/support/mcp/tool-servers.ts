/** Tool servers as the worker opens them, from a config text; ended with the test. */
import { fileURLToPath } from 'node:url';
import { parseConfig, systemClock, type Logger, type ServerTool, type ToolResult } from '@palimpsest/core';
import { openToolServers } from '@palimpsest/providers';

const script = fileURLToPath(new URL('stdio-server.ts', import.meta.url));

/** The YAML of one server that is the misbehaving program; `more` are further keys of it. */
export function stdioServerYaml(more = '', start = 'well'): string {
  return `{ command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(script)}, ${start}], ${more} }`;
}

export interface LogLine {
  fields: Record<string, unknown>;
  message: string;
}

/** servers  YAML of `mcp_servers` */
export function openServers(servers: string, variables: Record<string, string | undefined> = process.env) {
  const lines: LogLine[] = [];
  const note = (fields: object, message: string): void => void lines.push({ fields: { ...fields }, message });
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  const config = parseConfig(`mcp_servers: ${servers}`, 'test');
  const opened = openToolServers({ config, variables, clock: systemClock, logger });
  return {
    ...opened,
    lines,
    /** Call by the name the model sees. */
    async run(name: string, input: Record<string, unknown> = {}, signal?: AbortSignal): Promise<ToolResult> {
      const tool = (await opened.offered()).find(({ schema }) => schema.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return opened.call(tool, input, signal ?? new AbortController().signal);
    },
    async names(): Promise<string[]> {
      return (await opened.offered()).map((tool: ServerTool) => tool.schema.name);
    },
    [Symbol.asyncDispose]: () => opened.close(),
  };
}
