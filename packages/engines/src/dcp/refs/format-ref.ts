/** What a model may name: a unit by its number, or a block. */
export type NamedRef = { kind: 'unit'; number: number } | { kind: 'block'; number: number };

const fewestDigits = 4;
/** Numbers of units that can be given; the digits grow past four on their own. */
export const mostRefs = 999_999_999;

/** `m0001`, `m12345`. */
export function formatUnitRef(number: number): string {
  return `m${String(number).padStart(fewestDigits, '0')}`;
}

/** `b1`. */
export function formatBlockRef(number: number): string {
  return `b${number}`;
}

/**
 * Read a ref as a model writes it: blanks and the brackets of its mark around it are let pass, case does not matter.
 * returns  null for anything else, number 0 and block numbers with a leading zero included
 */
export function parseRef(text: string): NamedRef | null {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^\[\s*([^\]]*?)\s*\]$/, '$1');
  const unit = /^m(\d{4,9})$/.exec(bare);
  if (unit) return Number(unit[1]) === 0 ? null : { kind: 'unit', number: Number(unit[1]) };
  const block = /^b([1-9]\d{0,8})$/.exec(bare);
  return block ? { kind: 'block', number: Number(block[1]) } : null;
}
