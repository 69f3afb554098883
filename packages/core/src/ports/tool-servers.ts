import type { Session } from '../session.ts';
import type { ToolSchema } from './model.ts';
import type { ToolResult } from './tools.ts';

/** A tool of a tool server, as it stood when it was read from there. */
export interface ServerTool {
  server: string;
  /** As the server calls it; `schema.name` is what the model sees. */
  name: string;
  schema: ToolSchema;
  /** The server says that running it twice does no harm. */
  repeatable: boolean;
}

export interface ToolServerStatus {
  name: string;
  state: 'starting' | 'ready' | 'down' | 'off';
  /** Why it is down and what to do; no argument, result or secret. */
  problem: string | null;
  tools: readonly ServerTool[];
}

/** The tool servers of the config. One that hangs, dies or talks rubbish costs its own tools and nothing else. */
export interface ToolServers {
  /** Tools of the servers that are up, in the order they are offered; waits a while for those that are just starting. */
  offered(): Promise<readonly ServerTool[]>;
  /** Never rejects: whatever goes wrong is a result with `isError`. */
  call(tool: ServerTool, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  status(): readonly ToolServerStatus[];
  /** End child processes and connections; resolves when they are gone. */
  close(): Promise<void>;
}

/**
 * The server tools a session's prompt names. They stay what they are, whatever the servers offer meanwhile, since tools
 * are the first part of every cached prefix.
 */
export interface ToolListStore {
  /** Null where none was fixed yet; a child session has its parent's. */
  read(sessionId: string): Promise<readonly ServerTool[] | null>;
  /** In the place of what was fixed before. Nothing is written when `session.epoch` is no longer the holder's. */
  fix(session: Pick<Session, 'id' | 'epoch'>, tools: readonly ServerTool[]): Promise<void>;
}
