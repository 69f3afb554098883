import type { RowHeader } from '@palimpsest/core';
import { endOfRead, resultText, startOfRounds, type BodyOf } from './tool-rounds.ts';
import { isStub } from './tool-stub.ts';

/** What takes the place of a tool result that stays in the prompt. */
export type Demotion = 'stub' | 'duplicate';

/** The newest rounds keep their results whole; older results longer than this become a line. */
const wholeRounds = 6;
const oldResultChars = 1_500;
const duplicateChars = 200;
/** Under pressure shorter results give way too; below this nothing is won. */
const pressedChars = 400;
const newestRows = 3;
/** What a result costs that gave way; a guess until its text is made. */
const demotedTokens: Record<Demotion, number> = { stub: 75, duplicate: 45 };

/** Decides which results give way, on the texts as they stand in the prompt. */
export class ResultDemotions {
  readonly byIndex = new Map<number, Demotion>();
  /** The newest row with the same text, for each older one. */
  readonly newestCopy = new Map<number, number>();
  readonly #rows: readonly RowHeader[];
  readonly #chars: readonly number[];
  readonly #readEnd: number;

  constructor(rows: readonly RowHeader[], bodyOf: BodyOf) {
    this.#rows = rows;
    this.#readEnd = endOfRead(rows);
    const chars: number[] = [];
    const newest = new Map<string, number>();
    for (let index = rows.length - 1; index >= 0; index--) {
      const text = rows[index]!.role === 'tool' ? resultText(bodyOf(rows[index]!)) : '';
      chars[index] = isStub(text) ? 0 : text.length;
      if (chars[index]! < duplicateChars) continue;
      const copy = newest.get(text);
      if (copy === undefined) newest.set(text, index);
      else if (this.#demote(index, 'duplicate')) this.newestCopy.set(index, copy);
    }
    this.#chars = chars;
  }

  /** Results of 1,500 characters and more outside the newest six tool rounds. */
  demoteOld(): void {
    const end = Math.min(startOfRounds(this.#rows, wholeRounds), this.#readEnd);
    for (let index = 0; index < end; index++)
      if (this.#chars[index]! >= oldResultChars) this.#demote(index, 'stub');
  }

  /**
   * Long results from `start` on until these rows cost at most `limitTokens`: the oldest first, then those of the newest
   * rows, then the newest. What the model has not read yet stays.
   */
  demoteUntil(start: number, limitTokens: number): void {
    let tokens = 0;
    for (let index = start; index < this.#rows.length; index++) tokens += this.tokensOf(index);
    const long: number[] = [];
    for (let index = start; index < this.#readEnd; index++)
      if (this.#chars[index]! >= pressedChars && !this.byIndex.has(index)) long.push(index);
    const border = this.#rows.length - newestRows;
    for (const index of [...long.filter((at) => at < border), ...long.filter((at) => at >= border)]) {
      if (tokens <= limitTokens) return;
      tokens -= this.tokensOf(index);
      this.#demote(index, 'stub');
      tokens += this.tokensOf(index);
    }
  }

  /** What a row will cost. */
  tokensOf(index: number): number {
    const demotion = this.byIndex.get(index);
    const { tokens } = this.#rows[index]!;
    return demotion ? Math.min(tokens, demotedTokens[demotion]) : tokens;
  }

  #demote(index: number, demotion: Demotion): boolean {
    const isWorthIt = this.#rows[index]!.tokens > demotedTokens[demotion];
    if (isWorthIt) this.byIndex.set(index, demotion);
    return isWorthIt;
  }
}
