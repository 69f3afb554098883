import { pause } from './turn-world.ts';

/** Waits for what other processes of the world bring about. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it did not come to this within 20 s');
    await pause();
  }
}
