/** LCM_* variables: the first tier of the lossless engine's settings, above the config file. */
import { GatewayError, lcmSchema, type LcmConfig } from '@palimpsest/core';
import { textOf, type Environment } from './read-variables.ts';

type Kind = 'number' | 'boolean' | 'text' | 'list';

interface Variable {
  /** Short names first: they win. The mechanical form, LCM_ and the whole path, is understood beside them. */
  names: readonly string[];
  path: readonly string[];
  kind: Kind;
}

/** Short names that are not LCM_ and the key in capitals. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  incremental_max_depth: ['LCM_SWEEP_MAX_DEPTH'],
  large_file_threshold_tokens: ['LCM_LARGE_FILE_TOKEN_THRESHOLD'],
  'cache_aware_compaction.cache_ttl_seconds': ['LCM_CACHE_TTL_SECONDS'],
  'cache_aware_compaction.max_cold_cache_catchup_passes': ['LCM_MAX_COLD_CACHE_CATCHUP_PASSES'],
  'cache_aware_compaction.hot_cache_pressure_factor': ['LCM_HOT_CACHE_PRESSURE_FACTOR'],
  'cache_aware_compaction.hot_cache_budget_headroom_ratio': ['LCM_HOT_CACHE_BUDGET_HEADROOM_RATIO'],
  'cache_aware_compaction.cold_cache_observation_threshold': ['LCM_COLD_CACHE_OBSERVATION_THRESHOLD'],
  'cache_aware_compaction.critical_budget_pressure_ratio': ['LCM_CRITICAL_BUDGET_PRESSURE_RATIO'],
};

/** Rules need a file. */
const withoutVariable = new Set(['context_threshold_overrides']);

/** Variables of every key the schema has. */
function variables(): readonly Variable[] {
  return keysOf(lcmSchema.parse({}), []).map(({ path, value }) => ({
    names: [...(shortNames[path.join('.')] ?? []), `LCM_${path.join('_').toUpperCase()}`],
    path,
    kind: kindOf(value),
  }));
}

function keysOf(section: object, above: readonly string[]): { path: readonly string[]; value: unknown }[] {
  return Object.entries(section).flatMap(([key, value]) => {
    const path = [...above, key];
    if (withoutVariable.has(key)) return [];
    return isSection(value) ? keysOf(value, path) : [{ path, value: value as unknown }];
  });
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A key whose default is null holds a number. */
function kindOf(value: unknown): Kind {
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : 'number';
}

/**
 * The settings of the lossless engine with the variables over them.
 * warnings  a number that is none is never used: the next tier holds, and a line says so
 * throws    config_invalid for a word that is no boolean and for a value out of range
 */
export function withLcmVariables(
  fromFile: LcmConfig,
  env: Environment,
): { lcm: LcmConfig; warnings: readonly string[] } {
  const merged = structuredClone(fromFile) as Record<string, unknown>;
  const warnings: string[] = [];
  const used = new Map<string, string>();
  for (const variable of variables()) {
    const name = variable.names.find((candidate) => env[candidate]?.trim());
    // An empty list is a setting of its own: it switches the default off.
    const emptied = variable.kind === 'list' && variable.names.find((candidate) => env[candidate] === '');
    if (!name && !emptied) continue;
    const value = name ? read(env, name, variable.kind) : [];
    if (value === undefined) warnings.push(unusable(env, name!, variable));
    else {
      put(merged, variable.path, value);
      used.set(variable.path.join('.'), name || emptied || '');
    }
  }
  return { lcm: used.size === 0 ? fromFile : checked(merged, used), warnings };
}

function read(env: Environment, name: string, kind: Kind): unknown {
  const text = textOf(env, name)!;
  if (kind === 'number') return numberOf(text);
  if (kind === 'boolean') return booleanOf(name, text);
  return kind === 'text' ? text : listOf(text);
}

/** Undefined where the text is no number; null is one for keys that may be null. */
function numberOf(text: string): number | null | undefined {
  if (text.toLowerCase() === 'null') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const yes: readonly string[] = ['true', '1', 'yes', 'on'];
const no: readonly string[] = ['false', '0', 'no', 'off'];

function booleanOf(name: string, text: string): boolean {
  const word = text.toLowerCase();
  if (yes.includes(word)) return true;
  if (no.includes(word)) return false;
  throw new GatewayError(
    'config_invalid',
    `${name} is ${JSON.stringify(text)}; allowed: ${[...yes, ...no].join(', ')}.`,
  );
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (rest.length === 0) Object.assign(target, { [key!]: value });
  else put(target[key!] as Record<string, unknown>, rest, value);
}

function unusable(env: Environment, name: string, { path }: Variable): string {
  return `${name} is ${JSON.stringify(textOf(env, name))} and no number; context.lcm.${path.join('.')} keeps the value of the config file or its default.`;
}

function checked(merged: unknown, used: ReadonlyMap<string, string>): LcmConfig {
  const parsed = lcmSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => {
    const key = path.join('.');
    return `${used.get(key) ?? `context.lcm.${key}`}: ${message}. Correct it or unset it.`;
  });
  throw new GatewayError('config_invalid', lines.join('\n'));
}
