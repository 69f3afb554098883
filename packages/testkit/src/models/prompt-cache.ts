import type { CacheTtl, PromptBlock } from './prompt-chain.ts';

/** Prompt tokens by how the cache served them; the four figures add up to the prompt. */
export interface CacheFigures {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
}

/** What a request reads now and leaves behind once its answer begins. */
export interface CachePlan {
  readonly figures: CacheFigures;
  readonly touches: readonly { readonly digest: string; readonly ttlMs: number }[];
  readonly startMs: number;
}

/** One prompt to look up: `totalTokens` includes the framing after the last block. */
export interface CacheQuery {
  readonly blocks: readonly PromptBlock[];
  readonly totalTokens: number;
  readonly minimumTokens: number;
  readonly startMs: number;
}

/** A provider's prompt cache. Entries become readable by `commit`, when the first byte of the answer goes out. */
export interface PromptCache {
  plan(query: CacheQuery): CachePlan;
  commit(plan: CachePlan): void;
}

const LIFETIME_MS: Record<CacheTtl, number> = { '5m': 300_000, '1h': 3_600_000 };
// The mark's own block counts as the first of the twenty that are looked at.
const LOOKBACK_BLOCKS = 20;

/** Entries by digest; a touch never shortens a life, and life counts from the start of the request. */
class CacheEntries {
  private readonly entries = new Map<string, { expiresMs: number; ttlMs: number }>();

  find(digest: string, nowMs: number): { ttlMs: number } | undefined {
    const entry = this.entries.get(digest);
    return entry !== undefined && entry.expiresMs > nowMs ? entry : undefined;
  }

  touch(digest: string, startMs: number, ttlMs: number): void {
    const old = this.find(digest, startMs);
    const longest = Math.max(ttlMs, old?.ttlMs ?? 0);
    this.entries.set(digest, { expiresMs: startMs + longest, ttlMs: longest });
  }
}

/** Anthropic's rules: explicit marks, a twenty-block lookback, two lifetimes, a minimum size. */
export class MarkedPromptCache implements PromptCache {
  private readonly entries = new CacheEntries();

  plan(query: CacheQuery): CachePlan {
    const marked = query.blocks.flatMap((block, at) =>
      block.mark !== undefined && block.tokens >= query.minimumTokens
        ? [{ block, at, mark: block.mark }]
        : [],
    );
    const hitAt = this.newestHit(
      query,
      marked.map(({ at }) => at),
    );
    const hit = query.blocks[hitAt];
    const readTokens = hit?.tokens ?? 0;
    const end1h = marked.findLast(({ mark, at }) => mark === '1h' && at > hitAt)?.block.tokens ?? readTokens;
    const end = marked.findLast(({ at }) => at > hitAt)?.block.tokens ?? readTokens;
    const touches = marked.map(({ block, mark }) => ({ digest: block.digest, ttlMs: LIFETIME_MS[mark] }));
    if (hit !== undefined) {
      touches.push({ digest: hit.digest, ttlMs: this.entries.find(hit.digest, query.startMs)?.ttlMs ?? 0 });
    }
    return {
      figures: {
        inputTokens: query.totalTokens - end,
        cacheReadTokens: readTokens,
        cacheWrite5mTokens: end - end1h,
        cacheWrite1hTokens: end1h - readTokens,
      },
      touches,
      startMs: query.startMs,
    };
  }

  commit(plan: CachePlan): void {
    for (const { digest, ttlMs } of plan.touches) this.entries.touch(digest, plan.startMs, ttlMs);
  }

  private newestHit(query: CacheQuery, marks: readonly number[]): number {
    let best = -1;
    for (const mark of marks) {
      for (let at = mark; at > Math.max(best, mark - LOOKBACK_BLOCKS); at -= 1) {
        const block = query.blocks[at];
        if (block !== undefined && this.entries.find(block.digest, query.startMs) !== undefined) best = at;
      }
    }
    return best;
  }
}

const AUTOMATIC_STEP_TOKENS = 128;
const AUTOMATIC_LIFETIME_MS = 600_000;

/**
 * OpenAI's automatic cache: the longest known start, counted in steps of 128 tokens, from 1,024 on. Whole blocks
 * only, so a message that changes at its end counts as changed (the service would read a little more).
 */
export class AutomaticPromptCache implements PromptCache {
  private readonly entries = new CacheEntries();

  plan(query: CacheQuery): CachePlan {
    const known = query.blocks.findLast(
      (block) => this.entries.find(block.digest, query.startMs) !== undefined,
    );
    const steps = Math.floor((known?.tokens ?? 0) / AUTOMATIC_STEP_TOKENS) * AUTOMATIC_STEP_TOKENS;
    const cacheReadTokens = steps >= query.minimumTokens ? steps : 0;
    return {
      figures: {
        inputTokens: query.totalTokens - cacheReadTokens,
        cacheReadTokens,
        cacheWrite5mTokens: 0,
        cacheWrite1hTokens: 0,
      },
      touches: query.blocks.map(({ digest }) => ({ digest, ttlMs: AUTOMATIC_LIFETIME_MS })),
      startMs: query.startMs,
    };
  }

  commit(plan: CachePlan): void {
    for (const { digest, ttlMs } of plan.touches) this.entries.touch(digest, plan.startMs, ttlMs);
  }
}
