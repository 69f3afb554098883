import { mayUse, type Tier } from '@palimpsest/agent';
import { silentLogger, systemClock, type ServerTool, type ToolServerStatus } from '@palimpsest/core';
import { openToolServers } from '@palimpsest/providers';
import { fine, problem, type Finding } from './finding.ts';
import type { Settings } from '../settings.ts';

const tiers: readonly Tier[] = ['admin', 'user', 'group'];

/** Start every tool server of the config, say what it offers and to whom, and end it again. */
export async function toolFindings(settings: Settings): Promise<Finding[]> {
  const { config, environment: variables } = settings;
  const servers = openToolServers({ config, variables, clock: systemClock, logger: silentLogger });
  try {
    await servers.offered();
    return servers.status().map((status) => finding(status, settings));
  } finally {
    await servers.close();
  }
}

function finding({ name, state, problem: reason, tools }: ToolServerStatus, { config }: Settings): Finding {
  const server = `server ${name}`;
  if (state === 'off') return fine('tools', `${server}: switched off`);
  if (state !== 'ready') return problem('tools', `${server}: ${reason ?? 'it gave no answer in time'}`);
  const tiersOf = (tool: ServerTool): string => tiers.filter((tier) => mayUse(tool, tier, config)).join(' ');
  const words = tools.map((tool) => `${tool.schema.name} (${tiersOf(tool) || 'nobody'})`);
  return fine(
    'tools',
    `${server}: ${tools.length} tools, and who may use them: ${words.join(', ') || 'none'}`,
  );
}
