/** Second names of keys under `context.lcm`, as other programs write them. */
const aliases: readonly (readonly [alias: string, key: string])[] = [
  ['sweep_max_depth', 'incremental_max_depth'],
  ['large_file_token_threshold', 'large_file_threshold_tokens'],
];

/** The values of a file with second names replaced. A key that stands there under both is left: the schema refuses it. */
export function withoutAliases(values: unknown): unknown {
  if (!isSection(values) || !isSection(values['context']) || !isSection(values['context']['lcm']))
    return values;
  const { context } = values;
  const given = values['context']['lcm'];
  const lcm = Object.entries(given).map(([name, value]) => {
    const key = aliases.find(([alias]) => alias === name)?.[1];
    return [key === undefined || key in given ? name : key, value] as const;
  });
  return { ...values, context: { ...(context as object), lcm: Object.fromEntries(lcm) } };
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
