/** One-time codes: 8 letters that cannot be mistaken for each other, stored as SALT$HASH only. */
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** 32 symbols; I, O, 0 and 1 are left out. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;

/** A new code and what is kept of it. */
export function newCode(): { code: string; stored: string } {
  const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const salt = randomBytes(16).toString('hex');
  return { code, stored: `${salt}$${hashOf(salt, code)}` };
}

/** The stored one that a typed code fits; every one is compared, each in constant time. */
export function findCode<Row extends { code_hash: string }>(rows: readonly Row[], typed: string): Row | null {
  const code = typed.trim().toUpperCase();
  const fitting = rows.filter(({ code_hash: stored }) => fits(stored, code));
  return fitting[0] ?? null;
}

function fits(stored: string, code: string): boolean {
  const [salt = '', hash = ''] = stored.split('$');
  const wanted = Buffer.from(hash, 'hex');
  const given = Buffer.from(hashOf(salt, code), 'hex');
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

function hashOf(salt: string, code: string): string {
  return createHash('sha256').update(`${salt}$${code}`).digest('hex');
}
