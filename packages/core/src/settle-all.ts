/**
 * Wait until every one of them has ended, well or not; then throw the first failure. `Promise.all` throws while the others
 * go on: whoever looks again for what is left then finds their work undone, and does it twice.
 */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(work);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
