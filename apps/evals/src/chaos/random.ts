/** Numbers in 0 ≤ n < 1 that the seed decides. */
export type Random = () => number;

/** The generator called mulberry32: small, fast, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of several things, each as likely as its weight says. */
export function pick<Thing>(
  random: Random,
  things: readonly (readonly [weight: number, thing: Thing])[],
): Thing {
  const [first] = things;
  if (first === undefined) throw new RangeError('nothing to choose from');
  let left = random() * things.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, thing] of things) {
    left -= weight;
    if (left < 0) return thing;
  }
  return first[1];
}

/** A whole number from `least` to `most`, both included. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
