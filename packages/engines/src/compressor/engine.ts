import type {
  Assembled,
  CompactionPlan,
  CompressDecision,
  CompressRequest,
  Config,
  ContextEngine,
  ContextState,
  EngineFactory,
  EngineStatus,
  ModelInfo,
  NoPlan,
  PromptBudget,
  ProtectedParts,
  ToolCall,
  ToolResult,
  TranscriptView,
} from '@palimpsest/core';
import { assemble } from './assemble.ts';
import { protectedParts } from './choose-layout.ts';
import { compress, type CompressHelp } from './compress.ts';
import { limitsOf, measure } from './measure.ts';
import { decideCompress } from './should-compress.ts';
import { statusLines } from './status-lines.ts';

/** The built-in engine: older turns become one summary row, in place. `config` is the whole file. */
export function compressorFactory(config: Config): EngineFactory {
  return {
    name: 'compressor',
    // It keeps nothing beside the rows, so nothing is read.
    load: () => Promise.resolve(null),
    create: ({ model }) => new Compressor(config, model),
  };
}

/** Holds nothing but the model in use: all it decides on stands in rows and session. */
class Compressor implements ContextEngine {
  readonly name = 'compressor';
  readonly systemText = '';
  readonly #config: Config;
  #model: ModelInfo;

  constructor(config: Config, model: ModelInfo) {
    this.#config = config;
    this.#model = model;
  }

  shouldCompress(state: ContextState): CompressDecision {
    return decideCompress(state, limitsOf(this.#config, this.#model, state.budget), this.#config.compression);
  }

  protectedParts({ rows }: TranscriptView, state: ContextState): ProtectedParts {
    const { budget, promptTokens, source, session } = state;
    const request = { budget, promptTokens, promptTokensSource: source, layer: 'agent' } as const;
    const sizes = measure(rows, request, { config: this.#config, model: this.#model, session });
    return protectedParts(rows, sizes, this.#config.compression);
  }

  assemble(view: TranscriptView): Promise<Assembled> {
    return assemble(view);
  }

  compress(
    view: TranscriptView,
    request: CompressRequest,
    help: CompressHelp,
  ): Promise<CompactionPlan | NoPlan> {
    return compress(view, request, { settings: { config: this.#config, model: this.#model }, help });
  }

  updateFromResponse(): Record<string, never> {
    return {};
  }

  updateModel(model: ModelInfo): Record<string, never> {
    this.#model = model;
    return {};
  }

  getToolSchemas(): [] {
    return [];
  }

  handleToolCall(call: ToolCall): Promise<{ result: ToolResult }> {
    const text = JSON.stringify({ error: `the context engine has no tool ${JSON.stringify(call.name)}` });
    return Promise.resolve({ result: { text, isError: true } });
  }

  enter(): Promise<null> {
    return Promise.resolve(null);
  }

  leave(): Promise<null> {
    return Promise.resolve(null);
  }

  onSessionStart(): void {}

  onSessionEnd(): void {}

  onSessionReset(): void {}

  getStatus(budget: PromptBudget, language?: string): EngineStatus {
    const limits = limitsOf(this.#config, this.#model, budget);
    const { compression } = this.#config;
    return {
      engine: this.name,
      ...limits,
      // Limits are asked for at every request, lines only by people.
      get lines() {
        return statusLines(language, { limits, budget, compression });
      },
    };
  }

  commands(): [] {
    return [];
  }
}
