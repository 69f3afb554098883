import type {
  ServerTool,
  Session,
  Tool,
  ToolListStore,
  ToolResult,
  ToolScope,
  ToolServers,
} from '@palimpsest/core';
import { isOffered, mayUse, tierOfTurn, type RightsConfig } from './tool-rights.ts';

export interface SessionToolsInput {
  /** Our own tools: everybody has them. */
  own: readonly Tool[];
  servers: ToolServers;
  lists: ToolListStore;
  config: RightsConfig;
}

export interface SessionTools {
  /** What the session's prompt names: as it was fixed, or what would be fixed now. */
  toolsFor(session: Session): Promise<readonly Tool[]>;
  /** Look anew at what the servers offer and keep that for the session; called when its system prompt is written. */
  fixTools(session: Session): Promise<readonly Tool[]>;
}

/** The tools of sessions: ours, then those of tool servers with their rights, in an order and wording that stay. */
export function sessionTools({ own, servers, lists, config }: SessionToolsInput): SessionTools {
  // Without any server in the config nothing needs to be fixed, and no claim pays for a look.
  const ownOf = (session: Session): readonly Tool[] => own.filter((tool) => tool.isFor?.(session) ?? true);
  const isIdle = Object.values(config.mcp_servers).every((server) => !server.enabled);
  return {
    async toolsFor(session) {
      if (isIdle) return ownOf(session);
      if (session.systemPrompt === null) return withOwn(session, await offeredTo(session));
      // A session from before there were servers has none until its prompt is written anew.
      return withOwn(session, (await lists.read(session.id)) ?? []);
    },
    async fixTools(session) {
      if (isIdle) return ownOf(session);
      const tools = await offeredTo(session);
      await lists.fix(session, tools);
      return withOwn(session, tools);
    },
  };

  async function offeredTo(session: Session): Promise<readonly ServerTool[]> {
    return (await servers.offered()).filter((tool) => isOffered(tool, session, config));
  }

  function withOwn(session: Session, tools: readonly ServerTool[]): readonly Tool[] {
    const taken = new Set(own.map((tool) => tool.schema.name));
    return [...ownOf(session), ...tools.filter((tool) => !taken.has(tool.schema.name)).map(asTool)];
  }

  function asTool(tool: ServerTool): Tool {
    return {
      schema: tool.schema,
      repeatable: tool.repeatable,
      run: async (input, scope) => refusal(tool, scope) ?? servers.call(tool, input, scope.signal),
    };
  }

  function refusal(tool: ServerTool, scope: ToolScope): ToolResult | null {
    const tier = tierOfTurn(scope, config);
    if (mayUse(tool, tier, config)) return null;
    const text = `${tool.schema.name} may not be used here: the people who asked for this have the rights of tier "${tier}", which does not allow it. Go on without it and say so.`;
    return { text, isError: true };
  }
}
