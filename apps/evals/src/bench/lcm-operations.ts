/** What the bench of the lossless engine measures, by name. */
export const lcmOperations = [
  'assemble',
  'assemble_again',
  'assemble_first',
  'load_first',
  'commit',
  'replace',
  'replace_list',
  'leaf',
  'condense',
  'ingest',
  'grep',
  'grep_regex',
] as const;
export type LcmOperation = (typeof lcmOperations)[number];

/** Each one transaction: what comes before its commit is ours, the commit is the disk's. */
export const lcmWrites: readonly LcmOperation[] = ['commit', 'replace', 'replace_list', 'leaf', 'condense'];

/** Times in ms, one a round. */
interface Measured {
  times: number[];
  /** From the beginning until the last statement was sent. */
  beforeCommit: number[];
  statements: number;
}

export type LcmMeasures = Readonly<Record<LcmOperation, Measured>>;

export function newMeasures(): LcmMeasures {
  const entries = lcmOperations.map((name) => [name, { times: [], beforeCommit: [], statements: 0 }]);
  return Object.fromEntries(entries) as LcmMeasures;
}
