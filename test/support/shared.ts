/** Finds the reference files beside the repository: schemas and recorded updates. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A reference file; `missing` can be true only outside CI. */
export interface SharedFile {
  readonly path: string;
  readonly missing: boolean;
}

/**
 * Find a file or folder of `<repository>/../shared`.
 *
 * Use it with `describe.skipIf(file.missing)`, so that a machine without the files says what it skips.
 *
 * throws  in CI (environment variable CI set) if it is missing: CI must not skip
 */
export function sharedPath(relative: string): SharedFile {
  const path = fileURLToPath(new URL(`../../../shared/${relative}`, import.meta.url));
  const missing = !existsSync(path);
  if (missing && process.env.CI) {
    throw new Error(`${path} is missing in CI; check out the shared folder beside the repository`);
  }
  return { path, missing };
}
