export interface ExpandedValues {
  values: Readonly<Record<string, string>>;
  /** Variables that are named and not set, each once. */
  missing: readonly string[];
}

/** Put variables of the environment where `${NAME}` stands. An empty variable counts as not set. */
export function expandValues(
  values: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string | undefined>>,
): ExpandedValues {
  const missing = new Set<string>();
  const expanded = Object.entries(values).map(([name, text]) => {
    const put = (_whole: string, variable: string): string => {
      const value = variables[variable];
      if (!value) missing.add(variable);
      return value ?? '';
    };
    return [name, text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, put)] as const;
  });
  return { values: Object.fromEntries(expanded), missing: [...missing] };
}
