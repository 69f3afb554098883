import type { ToolCall, ToolResult } from '@palimpsest/core';
import { parseArguments, refuse, ToolProblem, type ToolArguments } from './arguments.ts';
import { describe } from './describe.ts';
import { expand } from './expand.ts';
import { expandQuery } from './expand-query.ts';
import { grep } from './grep.ts';
import type { ToolGround } from './tool-ground.ts';

const tools: Readonly<Record<string, (input: ToolArguments, ground: ToolGround) => Promise<ToolResult>>> = {
  lcm_grep: grep,
  lcm_describe: describe,
  lcm_expand: expand,
  lcm_expand_query: expandQuery,
};

/** Run one call; whatever is wrong with it is a result. */
export async function runTool(call: ToolCall, ground: ToolGround): Promise<ToolResult> {
  const tool = tools[call.name];
  if (!tool)
    return refuse(
      `the context engine has no tool ${JSON.stringify(call.name)}; its tools are ${Object.keys(tools).join(', ')}`,
    );
  try {
    return await tool(parseArguments(call.arguments), ground);
  } catch (thrown) {
    if (thrown instanceof ToolProblem) return refuse(thrown.message);
    // What the store says of its own failures is for operators; the model learns that it may try again.
    return refuse(`${call.name} failed; try it again or ask for less`);
  }
}
