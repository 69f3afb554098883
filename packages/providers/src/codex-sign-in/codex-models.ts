/** What the Codex service says of a model: windows of its own, smaller than those of the direct API. */
export interface CodexModel {
  /** The name on the wire. */
  wireName: string;
  windowTokens: number;
}

const usualWindowTokens = 272_000;
const largeSuffix = '-900k';
/** The vendor's stated maximum; the name of the variants is a label. */
const largeWindowTokens = 872_000;
const largeNames: ReadonlySet<string> = new Set(['gpt-5.4', 'gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna']);

/** [start of the name, window], longest first; from the catalogue inside Codex CLI 0.171. */
const windows: readonly (readonly [start: string, windowTokens: number])[] = [
  ['gpt-5.3-codex-spark', 128_000],
  ['gpt-6.1-sol', 500_000],
  ['gpt-6.1-terra', 500_000],
  ['gpt-6.2-sol', 500_000],
];

/** A model on the Codex route. The `-900k` variants are names of ours for a larger window of the same model. */
export function codexModel(name: string): CodexModel {
  const lower = name.toLowerCase();
  const base = lower.endsWith(largeSuffix) ? name.slice(0, -largeSuffix.length) : null;
  if (base !== null && largeNames.has(base.toLowerCase()))
    return { wireName: base, windowTokens: largeWindowTokens };
  const known = windows.find(([start]) => lower.startsWith(start));
  return { wireName: name, windowTokens: known?.[1] ?? usualWindowTokens };
}
