import { systemBlocks } from '@palimpsest/agent';
import {
  estimateOverhead,
  outputReserveTokens,
  toolAction,
  type ContextEngine,
  type ContextState,
  type Lease,
  type PromptBudget,
  type Reason,
  type Session,
  type SessionPatch,
  type Tool,
  type ToolSchema,
} from '@palimpsest/core';
import { promptSize } from '@palimpsest/hygiene';
import { buildEngine } from './build-engine.ts';
import type { TurnDeps } from './deps.ts';
import { LiveTranscript } from './live-transcript.ts';

/** A session this worker holds: its rows, its engine, and what is known of its size. Lives as long as the claim. */
export class ClaimedSession {
  readonly deps: TurnDeps;
  /** Always asked for anew: a rotation puts another in its place. */
  lease: Lease;
  readonly view: LiveTranscript;
  /** Always asked for anew: after a compaction or a switch another stands in its place. */
  engine: ContextEngine;
  /** What the prompt names beside the engine's tools; read anew when the system prompt is written. */
  tools: readonly Tool[];
  /** Lower than the model's window once a provider reported a smaller one. */
  windowTokens: number;
  /** The person was told once in this claim that history was condensed. */
  told = false;
  /** Old tool output was pruned once while a plan is being prepared. */
  pruned = false;
  /** Reasons for which a compaction was declined in this claim, each in the ledger once. */
  readonly declined = new Set<Reason>();
  /** A refused prompt was met with one attempt past the rests; the next one is not. */
  overflowTried = false;
  /** It was asked once in this claim whether the session had been idle before it. */
  idleLooked = false;
  /** Another model was chosen: this claim ends, and the next one is opened with that model. */
  modelChanged = false;
  /** What the last write of the turn found: the lease went back with it, or something is left to do; null: not asked. */
  afterTurn: 'done' | 'more' | null = null;
  /** The session's last change before this claim. */
  readonly claimedAfter: Date;
  /** Changes of the session row that ride along with the next stored round or the turn's end. */
  #patch: SessionPatch = {};

  constructor(
    deps: TurnDeps,
    lease: Lease,
    parts: { session: Session; engine: ContextEngine; tools?: readonly Tool[] },
  ) {
    this.deps = deps;
    this.lease = lease;
    this.engine = parts.engine;
    this.claimedAfter = parts.session.updatedAt;
    this.view = new LiveTranscript(deps.store.transcript, parts.session, () =>
      this.engine.readsFew ? 'few' : 'all',
    );
    this.tools = parts.tools ?? [];
    this.windowTokens = deps.model.info.windowTokens;
  }

  get session(): Session {
    return this.view.session;
  }

  get toolSchemas(): readonly ToolSchema[] {
    const ofEngine = this.engine.getToolSchemas();
    const taken = new Set(ofEngine.map((schema) => schema.name));
    const own = this.tools.map((tool) => tool.schema).filter(({ name }) => !taken.has(name));
    return [...own, ...ofEngine].filter(({ name }) => toolAction(name, this.deps.config) !== 'deny');
  }

  /** Estimated tokens and number of the messages the engine would assemble now, without the learned ratio. */
  measured(): { tokens: number; rows: number } {
    const { rows } = this.view;
    return (
      this.engine.measure?.(this.view) ?? {
        tokens: rows.reduce((sum, row) => sum + row.tokens, 0),
        rows: rows.length,
      }
    );
  }

  /** Change the snapshot now and the row with the next write. */
  change(patch: SessionPatch): void {
    this.#patch = { ...this.#patch, ...patch };
    const { cooldownMs: _stored, ...columns } = patch;
    this.view.session = { ...this.view.session, ...columns };
  }

  takePatch(): SessionPatch {
    const patch = this.#patch;
    this.#patch = {};
    return patch;
  }

  /** The engine as stored state has it now: after a plan was applied, or for another engine's name. */
  async rebuildEngine(): Promise<void> {
    this.engine = await buildEngine(this.deps, this.session);
    this.engine.onSessionStart(this.session);
  }

  /** Read session row, live rows and engine state anew, after a compaction. */
  async refresh(): Promise<void> {
    const session = await this.deps.store.turns.session(this.session.id);
    // What this claim has learned since its last write stays known.
    if (session) {
      const { estimateRatio = session.estimateRatio, systemPrompt = session.systemPrompt } = this.#patch;
      this.view.session = {
        ...session,
        estimateRatio,
        systemPrompt,
        model: this.#patch.model ?? session.model,
      };
    }
    await this.view.reload();
    await this.rebuildEngine();
  }

  /** The conversation goes on in another session, whose lease came with it (rotation). */
  async moveTo(lease: Lease, session: Session): Promise<void> {
    this.engine.onSessionEnd(this.session);
    this.lease = lease;
    this.view.session = session;
    await this.refresh();
  }

  /** Read anew what others may have left on the session meanwhile: rests and streaks. */
  async refreshRests(): Promise<void> {
    const session = await this.deps.store.turns.session(this.session.id);
    if (!session) return;
    const { cooldownUntil, cooldownReason, failureStreak, fallbackStreak, structuralUntil } = session;
    const { probeAt, auxiliaryFailed } = session;
    this.view.session = {
      ...this.session,
      cooldownUntil,
      cooldownReason,
      failureStreak,
      fallbackStreak,
      structuralUntil,
      probeAt,
      auxiliaryFailed,
    };
  }

  budget(): PromptBudget {
    const windowTokens = this.windowTokens;
    return {
      windowTokens,
      outputReserveTokens: outputReserveTokens({
        windowTokens,
        maxOutputTokens: this.deps.model.info.maxOutputTokens,
        configuredMaxTokens: this.deps.config.model.max_tokens,
      }),
      overheadTokens: estimateOverhead(systemBlocks(this.session), this.toolSchemas),
    };
  }

  state(): ContextState {
    const budget = this.budget();
    const measured = this.measured();
    const size = promptSize({
      session: this.session,
      headers: this.view.rows,
      overheadTokens: budget.overheadTokens,
      assembledTokens: measured.tokens,
    });
    return {
      ...size,
      budget,
      liveRows: measured.rows,
      session: this.session,
      now: this.deps.clock.now(),
    };
  }
}
