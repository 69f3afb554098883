import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@palimpsest/core';

/** Checks the password and the proof of having given it. No comparison takes time that depends on a secret. */
export class PasswordDoor {
  readonly #passwordHash: Buffer;
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor(password: string, clock: Clock) {
    this.#passwordHash = hashOf(password);
    // Slow on purpose, once at start: a stolen cookie is no quick way to the password.
    this.#key = scryptSync(password, 'palimpsest sign-in 1', 32);
    this.#clock = clock;
  }

  isPassword(candidate: string): boolean {
    return timingSafeEqual(hashOf(candidate), this.#passwordHash);
  }

  /** A proof for a cookie; needs no storage and survives a restart. Another password ends every one. */
  proof(seconds: number): string {
    const claim = `${this.#clock.now().getTime() + seconds * 1000}.${randomBytes(12).toString('base64url')}`;
    return `${claim}.${this.#seal(claim).toString('base64url')}`;
  }

  isProof(candidate: string): boolean {
    const [until, nonce, seal] = candidate.split('.');
    if (!until || !nonce || !seal) return false;
    const sealed = this.#seal(`${until}.${nonce}`);
    const given = Buffer.from(seal, 'base64url');
    if (given.length !== sealed.length || !timingSafeEqual(given, sealed)) return false;
    return Number(until) > this.#clock.now().getTime();
  }

  /** Belongs to one proof: what a page of that browser sends with a change. */
  csrfToken(proof: string): string {
    return this.#seal(`csrf ${proof}`).toString('base64url');
  }

  #seal(claim: string): Buffer {
    return createHmac('sha256', this.#key).update(claim).digest();
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
