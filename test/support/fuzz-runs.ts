/** How many documents or sequences a test over many of them takes: FUZZ_RUNS for long nights, else what is usual. */
export function fuzzRuns(usual: number): number {
  return Number(process.env.FUZZ_RUNS ?? usual);
}
