import { createHash } from 'node:crypto';

/** What both dialects take as the name of a tool. */
const longestName = 64;
/** Tools of the context engines begin so. */
const ofEngines = /^(lcm|dcp)_/;

/**
 * The name a model sees: `server_tool`, of letters, digits, `_` and `-`. Where that is too long, or another tool has it,
 * it ends in a few digits of a hash of both names, so that it is the same at every start and on every machine.
 */
export function toolName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}_${tool}`.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (plain.length <= longestName && !taken.has(plain) && !ofEngines.test(plain)) return plain;
  const digits = createHash('sha256').update(`${server}\n${tool}`).digest('hex').slice(0, 8);
  const base = ofEngines.test(plain) ? `mcp_${plain}` : plain;
  return `${base.slice(0, longestName - digits.length - 1)}_${digits}`;
}
