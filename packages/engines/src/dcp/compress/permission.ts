import { toolAction, type Config, type DcpConfig } from '@palimpsest/core';
import { compressToolName } from './tool-schema.ts';

/**
 * The engine's config with the permission that holds: rules of the operator for tools come before the key of the engine,
 * and a sub-agent has the compress tool only where it is allowed to sub-agents.
 */
export function dcpConfigFor(config: Config, isSubAgent: boolean): DcpConfig {
  const { dcp } = config.context;
  const allowed = toolAction(compressToolName, config) ?? dcp.compress.permission;
  const permission = isSubAgent && !dcp.experimental.allowSubAgents ? 'deny' : allowed;
  return { ...dcp, compress: { ...dcp.compress, permission } };
}
