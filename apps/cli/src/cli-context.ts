import type { Environment } from './settings.ts';

/** What a command is run with: the environment, and the folder that relative paths are taken from. */
export interface CliContext {
  env: Environment;
  folder: string;
}
