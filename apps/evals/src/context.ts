import type { Environment } from '@palimpsest/cli';

/** What the outside world is to a bench or a matrix of replays. */
export interface EvalContext {
  env: Environment;
  /** Relative paths start here; `../shared` is looked for beside it. */
  folder: string;
  /** Fires at Ctrl-C: end soon and clear away. */
  signal: AbortSignal;
  /** Standard output: the result and nothing else. */
  print(text: string): void;
  /** One line for whoever waits; standard error. */
  progress(line: string): void;
}
