/** How a command ends, for scripts; `--help` and the README say it in these words. */
export const exitCodes = { done: 0, failed: 1, wrongUsage: 2, interrupted: 130 } as const;

export const exitCodeLines: readonly string[] = [
  '0    done',
  '1    not done, for a reason that standard error tells; or the answer is no: doctor found something broken, a replay lost something, nothing was changed',
  '2    wrong usage: an unknown command or option, a missing or malformed argument',
  '130  ended by Ctrl-C before it was done',
];
