/** The keys of `tools:` and `mcp_servers:`: which tool servers there are, and who may use their tools. */
import { z } from 'zod';
import { numericIds } from './numeric-ids.ts';

/** `*` stands for any characters; the rest as it is written. */
const patterns = z.array(z.string().min(1));

const toolRule = z
  .strictObject({
    tool: z.string().min(1).describe('tool names, by the name the model sees; * stands for any characters'),
    pattern: z
      .string()
      .min(1)
      .default('*')
      .describe('the arguments as JSON; * alone: the tool as a whole, which deny then takes away'),
    action: z.enum(['allow', 'ask', 'deny']),
  })
  .superRefine(({ tool, action }, context) => {
    if (action === 'ask' && tool !== 'compress')
      context.addIssue({
        code: 'custom',
        path: ['action'],
        message: 'allow or deny; ask is known for the tool compress only, where /dcp compress is the answer',
      });
  });

export const toolRules = z.array(toolRule).default([]);

export const tools = z.strictObject({
  admins: z
    .strictObject({
      telegram: numericIds.describe('numeric ids of people with the rights of tier admin'),
      discord: numericIds.describe('numeric ids of people with the rights of tier admin'),
    })
    .prefault({})
    .describe('the local web chat is always of tier admin: it has its own door'),
  allow: z
    .strictObject({
      admin: patterns.default(['*']).describe('tools for admins, by the name the model sees (server_tool)'),
      user: patterns.default(['*']).describe('tools for everybody else in a direct chat'),
      group: patterns.default([]).describe('tools for everybody else in a group; empty: none'),
    })
    .prefault({})
    .describe('a turn has the rights of its least trusted sender; a server can have lists of its own'),
  rules: toolRules.describe('what no tier may do: the last rule that matches a tool or a call wins'),
});

/** Part of every tool's name, so short; a letter first. */
const serverName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/);
/** Names whose value would be a secret. */
const secretName = /auth|token|secret|password|cookie|key|credential/i;
const fromEnvironment = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** Values by name, in which `${NAME}` stands for a variable of the environment. */
const values = z.record(z.string().min(1), z.string()).default({});

const server = z
  .strictObject({
    enabled: z.boolean().default(true).describe('false: its tools are not offered'),
    command: z.string().min(1).nullable().default(null).describe('program to start; it speaks MCP on stdio'),
    args: z.array(z.string()).default([]).describe('its arguments'),
    cwd: z.string().nullable().default(null).describe('its folder; null: that of the service'),
    env: values.describe('its environment beside PATH, HOME and the like; ${NAME} = our variable NAME'),
    url: z.url().nullable().default(null).describe('address of a server that speaks streamable HTTP'),
    headers: values.describe('headers of every request to it; ${NAME} = our variable NAME'),
    tools: patterns.default(['*']).describe('tools taken from this server, by its own names'),
    allow: z
      .strictObject({
        admin: patterns.nullable().default(null).describe('for admins'),
        user: patterns.nullable().default(null).describe('for everybody else in a direct chat'),
        group: patterns.nullable().default(null).describe('for everybody else in a group'),
      })
      .prefault({})
      .describe("tools by tier, by the server's own names; null: the lists of tools.allow"),
    timeout_seconds: z
      .number()
      .min(1)
      .max(3600)
      .default(60)
      .describe('one call at most; agent.tool_timeout_seconds holds as well'),
    start_timeout_seconds: z.number().min(1).max(300).default(20).describe('start and first answer at most'),
    max_result_characters: z
      .number()
      .int()
      .min(1_000)
      .max(8_000_000)
      .default(1_000_000)
      .describe('the rest of a longer result is cut off; what passes a quarter of the window is kept aside'),
  })
  .superRefine((section, context) => {
    if ((section.command === null) === (section.url === null))
      context.addIssue({
        code: 'custom',
        path: ['command'],
        message: 'either command (a program of this machine) or url (a server elsewhere), not both',
      });
    for (const block of ['env', 'headers'] as const)
      for (const [name, value] of Object.entries(section[block]))
        if (secretName.test(name) && !fromEnvironment.test(value))
          context.addIssue({
            code: 'custom',
            path: [block, name],
            message: 'a reference such as ${NAME} to a variable in .env; secrets never stand here',
            params: { secret: true },
          });
  });

export const mcpServers = z
  .record(serverName, server)
  .default({})
  .describe('MCP tool servers by name; the model sees their tools as name_tool');

export type ToolsConfig = z.output<typeof tools>;
export type McpServerConfig = z.output<typeof server>;
