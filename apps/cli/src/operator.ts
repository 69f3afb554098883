import { userInfo } from 'node:os';
import type { Actor } from '@palimpsest/core';

/** Who runs this program: the user of the operating system, which a variable of the environment does not change. */
export function operator(): Actor {
  return { name: userName(), via: 'cli' };
}

/** In a container a user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
