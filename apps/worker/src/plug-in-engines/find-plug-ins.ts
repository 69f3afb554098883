import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder of `plugins/context_engine/`; its name is the name of the engine. */
export interface PlugInFolder {
  name: string;
  /** The file that registers the engine; null: there is none. */
  entry: string | null;
}

const entries = ['index.ts', 'index.js', 'index.mjs'];
/** What a config value, a chat command and a folder can all be. */
const plugInName = /^[a-z][a-z0-9_-]{0,31}$/;

export function isPlugInName(name: string): boolean {
  return plugInName.test(name);
}

/** The plug-ins in a folder by name; none when there is no such folder. Nothing of theirs is run. */
export function findPlugIns(folder: string): readonly PlugInFolder[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((item) => (item.isDirectory() || item.isSymbolicLink()) && isPlugInName(item.name))
    .map(({ name }) => ({ name, entry: entryOf(join(folder, name)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The entry of one plug-in: a file that calls the registration. */
export function entryOf(folder: string): string | null {
  const path = entries.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (path === undefined) return null;
  return readFileSync(path, 'utf8').includes('registerContextEngine') ? path : null;
}
