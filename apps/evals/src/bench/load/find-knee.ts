/** Rates rise until the service no longer keeps up; then the border is narrowed down. */

/** Rates double up to the first that is too much; then so many in between. */
const narrowings = 3;
const mostDoublings = 12;

/**
 * start     messages a second of the first step
 * keepsUp   run a step at that rate
 * returns   the highest rate that was kept up with; 0 when the first was too much already
 */
export async function findKnee(
  start: number,
  keepsUp: (perSecond: number) => Promise<boolean>,
): Promise<number> {
  let good = 0;
  let bad = start;
  for (let doubling = 0; doubling < mostDoublings && (await keepsUp(bad)); doubling += 1) {
    good = bad;
    bad *= 2;
  }
  for (let step = 0; step < narrowings && good > 0; step += 1) {
    const middle = Math.round((good + bad) / 2);
    if (await keepsUp(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
