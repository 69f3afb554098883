import type { Config } from './config/schema.ts';

export type ToolAction = 'allow' | 'ask' | 'deny';

/** A rule of the operator: which tools, for which inputs. */
export interface ToolRule {
  /** Tool names; `*` stands for any characters. */
  tool: string;
  /** Arguments as the model wrote them (JSON); `*` alone is all of them. */
  pattern: string;
  action: ToolAction;
}

export interface ToolRulesConfig {
  tools: Pick<Config['tools'], 'rules'>;
  agent: Pick<Config['agent'], 'tool_rules'>;
}

/** Those of the agent come after those for all; the last one that matches wins. */
function rulesOf({ tools, agent }: ToolRulesConfig): readonly ToolRule[] {
  return [...tools.rules, ...agent.tool_rules];
}

/** What the rules say of a tool as a whole; a rule for certain inputs says nothing of that. null: nothing. */
export function toolAction(name: string, config: ToolRulesConfig): ToolAction | null {
  const last = rulesOf(config).findLast((rule) => rule.pattern === '*' && matchesPattern(name, rule.tool));
  return last?.action ?? null;
}

/** What the rules say of one call. null: nothing. */
export function callAction(
  call: { name: string; arguments: string },
  config: ToolRulesConfig,
): ToolAction | null {
  const last = rulesOf(config).findLast(
    (rule) => matchesPattern(call.name, rule.tool) && matchesPattern(call.arguments, rule.pattern),
  );
  return last?.action ?? null;
}

/** `*` stands for any characters. Without backtracking, so that no pattern is slow. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  if (others.length === 0) return name === first;
  const last = others.pop() ?? '';
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = name.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
