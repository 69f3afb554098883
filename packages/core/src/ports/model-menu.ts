import type { ModelInfo } from './model.ts';

/** What /model offers. Nothing is asked of a model here. */
export interface ModelMenu {
  /** The model of the configuration. */
  readonly main: ModelInfo;
  /** Models worth showing, the configuration's first; others may be named too where the operator listed none. */
  list(): readonly ModelInfo[];
  /** A model by the name a person typed, or in our words why it is none. */
  find(name: string): ModelMenuEntry;
}

export type ModelMenuEntry = { kind: 'model'; info: ModelInfo } | { kind: 'refused'; why: string };
