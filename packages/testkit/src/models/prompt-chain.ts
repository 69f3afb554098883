import { createHash } from 'node:crypto';

export type CacheTtl = '5m' | '1h';

/** One piece of a rendered prompt. Digest and tokens stand for everything up to and including it. */
export interface PromptBlock {
  readonly digest: string;
  readonly tokens: number;
  readonly mark: CacheTtl | undefined;
}

/**
 * A prompt in the order the service reads it: tools → system → messages.
 * Two prompts share a digest at a block only if every byte before it is the same.
 */
export class PromptChain {
  readonly blocks: PromptBlock[] = [];
  private digest: string;
  private tokens = 0;

  constructor(seed: string) {
    this.digest = createHash('sha256').update(seed).digest('base64');
  }

  /** Append one block. */
  add(rendered: string, tokens: number, mark?: CacheTtl): void {
    this.turn(rendered);
    this.tokens += tokens;
    this.blocks.push({ digest: this.digest, tokens: this.tokens, mark });
  }

  /** Make all that follows depend on a setting that is no block (tool choice, thinking, …). */
  turn(setting: string): void {
    this.digest = createHash('sha256').update(this.digest).update('\0').update(setting).digest('base64');
  }
}
