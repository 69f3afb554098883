/** How long an asynchronous step takes, ms. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
