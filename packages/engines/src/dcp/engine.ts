import {
  silentLogger,
  systemClock,
  type Assembled,
  type Clock,
  type CompactionPlan,
  type CompressDecision,
  type CompressRequest,
  type Config,
  type ContextEngine,
  type ContextState,
  type DcpState,
  type DcpStore,
  type EngineCallEnd,
  type EngineCommand,
  type EngineFactory,
  type EngineStatus,
  type Logger,
  type ModelInfo,
  type NoPlan,
  type PromptBudget,
  type ProtectedParts,
  type Session,
  type ToolCall,
  type ToolSchema,
  type ToolScope,
  type TranscriptView,
} from '@palimpsest/core';
import { dcpCommand } from './commands/dcp-command.ts';
import { dcpConfigFor } from './compress/permission.ts';
import { compressSchema } from './compress/tool-schema.ts';
import { leavePlan } from './emergency/archive-plan.ts';
import type { RoomHelp } from './emergency/room-ground.ts';
import { planRoom } from './emergency/plan-room.ts';
import { DcpDesk } from './state/desk.ts';
import { protectedParts } from './protected-parts.ts';
import { statusOf } from './status.ts';
import { systemText } from './system-text.ts';
import { assemblePrompt } from './transform/assemble-prompt.ts';
import { stripTags } from './transform/strip-tags.ts';
import { callCompress } from './call-compress.ts';

export interface DcpParts {
  /** The whole file. */
  config: Config;
  store: Pick<DcpStore, 'load'>;
  logger?: Logger;
  /** Only times compress calls. */
  clock?: Clock;
  /** For programs that run agents under agents on this engine; the service has none. */
  isSubAgent?(session: Session): boolean;
}

/** The model-guided engine: the transcript stays whole, the copy that is sent is transformed, the model compresses. */
export function dcpFactory({
  config,
  store,
  logger = silentLogger,
  clock = systemClock,
  isSubAgent = () => false,
}: DcpParts): EngineFactory {
  return {
    name: 'dcp',
    load: (session) => store.load(session.id),
    create({ session, model, state }) {
      const under = isSubAgent(session);
      const desk = new DcpDesk(dcpConfigFor(config, under), state as DcpState | null, { isSubAgent: under });
      return new DcpEngine({ desk, model, logger, clock });
    },
  };
}

interface EngineParts {
  desk: DcpDesk;
  model: ModelInfo;
  logger: Logger;
  clock: Clock;
}

class DcpEngine implements ContextEngine {
  readonly name = 'dcp';
  readonly readsFew = true;
  readonly systemText: string;
  readonly #desk: DcpDesk;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #model: ModelInfo;
  /** Of the newest request: a provider may have told a smaller window than the table. */
  #windowTokens: number;

  constructor({ desk, model, logger, clock }: EngineParts) {
    this.#desk = desk;
    this.#model = model;
    this.#windowTokens = model.windowTokens;
    this.#logger = logger;
    this.#clock = clock;
    this.systemText = systemText(desk.config);
  }

  /** Never by itself in normal running; only a prompt that no longer fits is met. */
  shouldCompress({ promptTokens, budget }: ContextState): CompressDecision {
    const hardLimit = budget.windowTokens - budget.outputReserveTokens;
    const isOver = this.#desk.config.enabled && promptTokens >= hardLimit;
    return isOver ? { kind: 'now', reason: 'hard_limit' } : { kind: 'no', reason: 'below_threshold' };
  }

  measure(view: TranscriptView): { tokens: number; rows: number } {
    return this.#desk.measure(view);
  }

  protectedParts(view: TranscriptView, { budget }: ContextState): ProtectedParts {
    return protectedParts(this.#desk, view, budget.windowTokens);
  }

  assemble(view: TranscriptView, budget: PromptBudget): Promise<Assembled> {
    this.#windowTokens = budget.windowTokens;
    return assemblePrompt(this.#desk, { view, budget, model: this.#model, logger: this.#logger });
  }

  compress(view: TranscriptView, request: CompressRequest, help: RoomHelp): Promise<CompactionPlan | NoPlan> {
    return planRoom(this.#desk, { view, request }, help);
  }

  updateFromResponse(): Record<string, never> {
    return {};
  }

  updateModel(model: ModelInfo): Record<string, never> {
    this.#model = model;
    this.#windowTokens = model.windowTokens;
    return {};
  }

  getToolSchemas(): readonly ToolSchema[] {
    const { enabled, compress } = this.#desk.config;
    return enabled && compress.permission !== 'deny' ? [compressSchema(compress.mode)] : [];
  }

  handleToolCall(call: ToolCall, scope: ToolScope, view: TranscriptView): Promise<EngineCallEnd> {
    const windowTokens = this.#windowTokens;
    return callCompress(this.#desk, { call, scope, view, windowTokens, clock: this.#clock });
  }

  cleanAnswer(text: string): string {
    return stripTags(text);
  }

  enter(): Promise<null> {
    return Promise.resolve(null);
  }

  leave(view: TranscriptView): Promise<CompactionPlan | null> {
    return Promise.resolve(leavePlan(view, this.#desk.state, this.#desk.config));
  }

  onSessionStart(): void {}

  onSessionEnd(): void {}

  onSessionReset(): void {}

  getStatus(budget: PromptBudget, language?: string): EngineStatus {
    return statusOf(this.#desk, { model: this.#model, budget, language });
  }

  commands(): readonly EngineCommand[] {
    const { enabled, commands } = this.#desk.config;
    return enabled && commands.enabled ? [dcpCommand(this.#desk, () => this.#model)] : [];
  }
}
