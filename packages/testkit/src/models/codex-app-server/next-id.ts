import { randomBytes } from 'node:crypto';

/** An id as the server makes them: a UUID of version 7. */
export function nextId(): string {
  const hex = randomBytes(10).toString('hex');
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-a${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}
