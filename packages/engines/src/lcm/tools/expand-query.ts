import {
  GatewayError,
  type LcmMessageHit,
  type LcmScope,
  type LcmSummaryHit,
  type ToolResult,
} from '@palimpsest/core';
import { answer, refuse, type ToolArguments } from './arguments.ts';
import { wishOf, textOf } from './expand.ts';
import { Expansion } from './expansion.ts';
import { askReader, type ReaderEnd } from './ask-reader.ts';
import { refusalWords } from './refusal-words.ts';
import { scopeOf, type ToolGround } from './tool-ground.ts';

const mostBuckets = 3;
const mostHits = 20;
/** Part of the time that is kept for what comes after the answer, ms. */
const reserveMs = 30_000;
const mostTimeoutMs = 600_000;
/** Above this depth a hit among messages says too little about the summaries over it. */
const shallowDepth = 1;

interface Bucket {
  sessionId: string;
  summaryIds: readonly string[];
}

/** One answer to one question, read from the opened summaries by a model; capped in tokens and in time. */
export async function expandQuery(input: ToolArguments, ground: ToolGround): Promise<ToolResult> {
  const prompt = input.text('prompt');
  if (prompt === undefined) return refuse('"prompt" is missing: the question to be answered');
  const scope = scopeOf(ground, input);
  const buckets = await findBuckets(input, scope, ground);
  if (typeof buckets === 'string') return refuse(buckets);
  if (buckets.length === 0)
    return answer(JSON.stringify({ ...emptyAnswer, answer: 'Nothing was found about this.' }));
  const opened = await openAll(buckets, { input, scope }, ground);
  if (!ground.reader) return answer(opened.map(({ expansion }) => textOf(expansion)).join('\n\n'));
  if (ground.inFlight.has(ground.sessionId))
    return refuse('EXPANSION_CONCURRENCY_BLOCKED: a question of this conversation is being answered already');
  ground.inFlight.add(ground.sessionId);
  const slot = new Slot(opened.length, () => ground.inFlight.delete(ground.sessionId));
  const ends = await Promise.all(
    opened.map(({ expansion }) =>
      askReader(
        {
          prompt,
          text: expansion.blocks.join('\n\n'),
          answerTokens: input.whole('max_tokens', { otherwise: 2_000, least: 1, most: 8_000 }),
          timeoutMs: timeoutOf(input, ground),
        },
        { ...ground, reader: ground.reader!, settled: () => slot.free() },
      ),
    ),
  );
  return joinEnds(opened, ends);
}

/** Held until every call has really ended, also those that nobody waits for any more. */
class Slot {
  #open: number;
  readonly #release: () => void;

  constructor(open: number, release: () => void) {
    this.#open = open;
    this.#release = release;
  }

  free(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#release();
  }
}

/** The caller may ask for less time, never for more than the operator allows with the reserve. */
function timeoutOf(input: ToolArguments, { config }: ToolGround): number {
  const otherwise = config.delegation_timeout_ms;
  const most = Math.min(mostTimeoutMs, otherwise + reserveMs);
  return input.whole('timeout_ms', { otherwise, least: 1, most });
}

/** The summaries to read, by conversation, best first; a text says what is wrong with the call. */
async function findBuckets(
  input: ToolArguments,
  scope: LcmScope,
  ground: ToolGround,
): Promise<readonly Bucket[] | string> {
  const named = input.texts('summary_ids').flatMap((text) => /\bsum_[0-9a-f]{6,64}\b/.exec(text)?.[0] ?? []);
  if (named.length > 0) {
    const found = await Promise.all(named.map((id) => ground.store.describe(scope, id)));
    return bucketsOf(
      found.flatMap((summary) => (summary ? [{ sessionId: summary.sessionId, id: summary.id }] : [])),
    );
  }
  const query = input.text('query');
  if (query === undefined) return '"query" or "summary_ids" is needed: where to look';
  const found = await ground.store.grep(scope, {
    query,
    mode: 'full_text',
    messages: true,
    summaries: true,
    limit: mostHits,
    sort: 'hybrid',
  });
  if (found.kind === 'refused') return refusalWords(found);
  const summaries = found.hits.filter((hit) => hit.kind === 'summary');
  if (summaries.length > 0)
    return bucketsOf(summaries.map((hit) => ({ sessionId: hit.sessionId, id: hit.summary.id })));
  const { maxDepth } = await ground.store.status(ground.sessionId);
  return maxDepth > shallowDepth ? [] : bucketsOf(coveredHits(found.hits));
}

/** Leaves over hits among messages; what is still word for word in the context needs no reader. */
function coveredHits(hits: readonly (LcmMessageHit | LcmSummaryHit)[]): { sessionId: string; id: string }[] {
  return hits.flatMap((hit) =>
    hit.kind === 'message' && hit.state === 'archived' && hit.coveredBy !== null
      ? [{ sessionId: hit.sessionId, id: hit.coveredBy }]
      : [],
  );
}

function bucketsOf(found: readonly { sessionId: string; id: string }[]): readonly Bucket[] {
  const bySession = new Map<string, Set<string>>();
  for (const { sessionId, id } of found)
    bySession.set(sessionId, (bySession.get(sessionId) ?? new Set()).add(id));
  return [...bySession]
    .slice(0, mostBuckets)
    .map(([sessionId, ids]) => ({ sessionId, summaryIds: [...ids] }));
}

interface Opened {
  bucket: Bucket;
  expansion: Expansion;
}

/** The token cap is divided evenly; what is left over goes to the best ones. */
async function openAll(
  buckets: readonly Bucket[],
  { input, scope }: { input: ToolArguments; scope: LcmScope },
  ground: ToolGround,
): Promise<readonly Opened[]> {
  const wish = wishOf(input, ground, true);
  const share = Math.floor(wish.tokenCap / buckets.length);
  const rest = wish.tokenCap % buckets.length;
  return Promise.all(
    buckets.map(async (bucket, rank) => {
      const expansion = new Expansion({ ...wish, tokenCap: share + (rank < rest ? 1 : 0) }, ground);
      for (const id of bucket.summaryIds) {
        const summary = await ground.store.describe(scope, id);
        if (summary && expansion.add(expansion.summaryBlock(summary), id))
          await expansion.open(scope, summary);
      }
      return { bucket, expansion };
    }),
  );
}

const emptyAnswer = {
  answer: '',
  citedIds: [] as string[],
  sourceConversationIds: [] as string[],
  expandedSummaryCount: 0,
  totalSourceTokens: 0,
  truncated: false,
};

/** What came back in time; all failed: the code of the first. */
function joinEnds(opened: readonly Opened[], ends: readonly ReaderEnd[]): ToolResult {
  const answered = ends.flatMap((end, index) =>
    end.kind === 'answered' ? [{ end, of: opened[index]! }] : [],
  );
  const failed = ends.flatMap((end) => (end.kind === 'failed' ? [end] : []));
  if (answered.length === 0) {
    const [first] = failed;
    if (!first) throw new GatewayError('internal', 'a question ended without an end; report this');
    return refuse(`${first.code}: ${first.message}`);
  }
  const expansions = answered.map(({ of }) => of.expansion);
  return answer(
    JSON.stringify({
      answer: answered.map(({ end }) => end.answer).join('\n\n'),
      citedIds: [...new Set(answered.flatMap(({ end, of }) => known(end.citedIds, of.expansion)))],
      sourceConversationIds: answered.map(({ of }) => of.bucket.sessionId),
      expandedSummaryCount: expansions.reduce(
        (sum, { citedIds }) => sum + citedIds.filter((id) => id.startsWith('sum_')).length,
        0,
      ),
      totalSourceTokens: expansions.reduce((sum, { tokens }) => sum + tokens, 0),
      truncated: failed.length > 0 || expansions.some(({ isTruncated }) => isTruncated),
      ...(failed.length > 0 ? { failed: failed.map(({ code }) => code) } : {}),
    }),
  );
}

/** Ids that the model made up are left out. */
function known(ids: readonly string[], { citedIds }: Expansion): readonly string[] {
  return ids.filter((id) => citedIds.some((cited) => cited === id || cited === `message ${id}`));
}
