/** Whether the promise settled, in whatever way, within `waitMs`. */
export function settledWithin(promise: Promise<unknown>, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), waitMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(done, done);
  });
}

/** The promise's result, or a rejection after `waitMs`; the promise itself goes on and its failure is swallowed. */
export async function within<T>(promise: Promise<T>, waitMs: number): Promise<T> {
  promise.catch(() => undefined);
  if (!(await settledWithin(promise, waitMs))) throw new Error(`no answer within ${waitMs} ms`);
  return promise;
}
