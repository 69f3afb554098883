import type { ModelInfo } from './model.ts';

/** What /model offers. Nothing is asked of a model here. */
export interface ModelMenu {
  /** The model of the configuration. */
  readonly main: ModelInfo;
  /** Models worth showing, the configuration's first; others may be named too where the operator listed none. */
  list(): readonly ModelInfo[];
  /** A model by the name a person typed, or why it is none. */
  find(name: string): ModelMenuEntry;
}

/** Not like a name, not on the operator's list, of no provider with a key, or set up so that it cannot be used. */
export type ModelRefusal = 'no_name' | 'not_allowed' | 'not_served' | 'unusable';

/** `why` is for logs. */
export type ModelMenuEntry =
  | { kind: 'model'; info: ModelInfo }
  | { kind: 'refused'; reason: ModelRefusal; why: string };
