import type { Config } from '@palimpsest/core';
import { matchesName } from '../strategies/protected-call.ts';
import { compressToolName } from './tool-schema.ts';

export type CompressPermission = Config['context']['dcp']['compress']['permission'];

/** A rule of whoever runs the engine: which tools, for which inputs. */
export interface PermissionRule {
  /** Glob of tool names. */
  tool: string;
  /** Glob of inputs; `*` is all of them. A rule for certain inputs says nothing of the tool as a whole. */
  pattern: string;
  action: CompressPermission;
}

/**
 * Whether the model has the compress tool. The last rule that matches wins, rules of an agent come after those for all,
 * and where none matches the configured value holds.
 */
export function compressPermission(
  configured: CompressPermission,
  rules: { all: readonly PermissionRule[]; agent: readonly PermissionRule[] } = { all: [], agent: [] },
): CompressPermission {
  const last = [...rules.all, ...rules.agent].findLast(
    ({ tool, pattern }) => pattern === '*' && matchesName(compressToolName, [tool]),
  );
  return last?.action ?? configured;
}
