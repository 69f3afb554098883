/** What can be wrong with a call. The last two are about being allowed at all. */
export type CompressCode =
  | 'E_TOPIC'
  | 'E_CONTENT'
  | 'E_FIELD'
  | 'E_REF_FORMAT'
  | 'E_REF_UNKNOWN'
  | 'E_ORDER'
  | 'E_OVERLAP_BATCH'
  | 'E_EMPTY_RANGE'
  | 'E_BLOCK_MISSING'
  | 'E_MANUAL'
  | 'E_SUMMARY_TOO_LARGE'
  | 'E_NO_GAIN'
  | 'E_PROTECTED_TAIL'
  | 'E_DENIED';

/** One thing wrong; `text` says what was seen and what to do. */
export interface CompressProblem {
  code: CompressCode;
  /** `content[0].startId`; '' for the call as a whole. */
  path: string;
  text: string;
}

export type Checked<Value> = { ok: true; value: Value } | { ok: false; problems: readonly CompressProblem[] };

export function problem(code: CompressCode, path: string, text: string): CompressProblem {
  return { code, path, text };
}
