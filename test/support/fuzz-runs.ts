/** How many documents or sequences a test over many of them takes: FUZZ_RUNS for long nights, else what is usual. */
export function fuzzRuns(usual: number): number {
  return Number(process.env.FUZZ_RUNS ?? usual);
}

/** The same documents every day, so that a change shows what it breaks; new ones in long nights. */
export function fuzzSeed(): number | undefined {
  return process.env.FUZZ_RUNS === undefined ? 20_260 : undefined;
}
