/** A session under the lossless engine on real Postgres: engine, plans and prompts as the path uses them. */
import {
  noUsage,
  type CompactionPlan,
  type CompressRequest,
  type Config,
  type ContextEngine,
  type EngineFactory,
  type NewRow,
  type NoPlan,
  type Summariser,
  type TranscriptView,
} from '@palimpsest/core';
import { compressorFactory, lcmFactory } from '@palimpsest/engines';
import { applyPlan } from './compacted-sessions.ts';
import { budgetOf } from './compress.ts';
import { lcmOf } from './lcm.ts';
import { StillClock } from './lcm-engine-world.ts';
import { shrinking } from './lcm-summarisers.ts';
import { aModel, aSession } from './memory-transcript.ts';
import type { StoreWorld, TestSession } from './store-world.ts';

export class LcmPostgresWorld {
  readonly world: StoreWorld;
  readonly session: TestSession;
  readonly config: Config;
  readonly windowTokens: number;
  readonly clock = new StillClock();
  summariser: Summariser = shrinking();
  engineName: 'lcm' | 'compressor' = 'lcm';

  constructor(of: { world: StoreWorld; session: TestSession; config: Config; windowTokens?: number }) {
    this.world = of.world;
    this.session = of.session;
    this.config = of.config;
    this.windowTokens = of.windowTokens ?? 10_000;
  }

  append(rows: readonly NewRow[]): Promise<unknown> {
    return rows.length === 0 ? Promise.resolve() : this.world.append(this.session.lease, rows);
  }

  async view(): Promise<TranscriptView> {
    const { sessionId } = this.session;
    const { transcript } = this.world;
    return {
      session: aSession({ id: sessionId, engine: this.engineName }),
      rows: await transcript.liveHeaders(sessionId),
      bodies: async (ids) => new Map((await transcript.bodies(sessionId, ids)).map((row) => [row.id, row])),
    };
  }

  async engine(name = this.engineName): Promise<ContextEngine> {
    const { config, clock, summariser } = this;
    const factory: EngineFactory =
      name === 'lcm'
        ? lcmFactory({ config, store: lcmOf(this.world), clock, reader: summariser })
        : compressorFactory(config);
    const session = aSession({ id: this.session.sessionId, engine: name });
    const state = (await factory.load?.(session)) ?? null;
    return factory.create({ session, model: aModel({ windowTokens: this.windowTokens }), state });
  }

  async compress(wish: Partial<CompressRequest> = {}): Promise<CompactionPlan | NoPlan> {
    const engine = await this.engine();
    const view = await this.view();
    const tokens = engine.measure?.(view).tokens ?? view.rows.reduce((sum, row) => sum + row.tokens, 0);
    const request: CompressRequest = {
      layer: 'manual',
      trigger: 'manual',
      mode: 'full',
      force: true,
      budget: budgetOf(this.windowTokens, 0),
      promptTokens: tokens,
      promptTokensSource: 'estimate',
      ...wish,
    };
    const { summariser, clock } = this;
    return engine.compress(view, request, { summariser, clock, signal: new AbortController().signal });
  }

  /** The plan goes through JSON first, as one that was prepared ahead does. Id of the compaction. */
  apply(plan: CompactionPlan): Promise<number> {
    return applyPlan(this.world, this.session, JSON.parse(JSON.stringify(plan)) as CompactionPlan);
  }

  async condense(wish: Partial<CompressRequest> = {}): Promise<CompactionPlan> {
    const plan = await this.compress(wish);
    if (plan.kind === 'none') throw new Error(`no plan: ${plan.outcome} ${plan.reason} ${plan.message}`);
    await this.apply(plan);
    return plan;
  }

  /** As the path does it: the old engine leaves, the new one enters. */
  async switchTo(name: 'lcm' | 'compressor'): Promise<void> {
    const left = await (await this.engine()).leave(await this.view());
    if (left) await this.apply(left);
    this.engineName = name;
    const entered = await (await this.engine()).enter(await this.view());
    if (entered) await this.apply(entered);
  }

  /** One call of a tool of the engine. */
  async call(name: string, input: object): Promise<{ text: string; isError: boolean }> {
    const view = await this.view();
    const scope = {
      session: view.session,
      turnId: 't1',
      senderIds: [],
      signal: new AbortController().signal,
    };
    const engine = await this.engine();
    engine.updateFromResponse(noUsage);
    const call = { id: 'c1', name, arguments: JSON.stringify(input) };
    return (await engine.handleToolCall(call, scope, view)).result;
  }
}
