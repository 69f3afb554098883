import { basename, join, resolve } from 'node:path';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { GatewayError, parseConfig } from '@palimpsest/core';
import { entryOf, findPlugIns, isPlugInName } from '@palimpsest/worker';
import { changeConfigFile } from '../change-config-file.ts';
import type { CliContext } from '../cli-context.ts';
import { bundledEngines, checkEngine, plugInFolderOf } from '../installed-engines.ts';
import { print } from '../print.ts';
import { configPathOf } from '../settings.ts';

interface Flags {
  json?: boolean;
}

const json = ['--json', 'one JSON object'] as const;

/** engine list | use | install: context engines, ours and plug-ins beside the config file. */
export function addEngineCommands(program: Command, context: CliContext): void {
  const configPath = (): string => configPathOf(context.env, context.folder);
  const engine = program.command('engine').description('the engines that keep the context small');
  engine
    .command('list')
    .description('every engine there is, with the one that new sessions run on')
    .option(...json)
    .action((flags: Flags) => {
      const engines = listEngines(configPath());
      print(flags.json, { engines }, engines.map(lineOf));
    });
  engine
    .command('use <name>')
    .description('let sessions run on an engine: writes context.engine, everything else in the file stays')
    .option(...json)
    .action((name: string, flags: Flags) => {
      const file = configPath();
      changeConfigFile(file, { key: 'context.engine', value: checkEngine(name, file) });
      print(flags.json, { file, engine: name }, [
        `${file}: context.engine is ${name} from the next start on`,
      ]);
    });
  engine
    .command('install <path>')
    .description('copy a plug-in engine beside the config; it runs only where it is named')
    .option(...json)
    .action((path: string, flags: Flags) => {
      const name = installEngine(resolve(context.folder, path), plugInFolderOf(configPath()));
      print(flags.json, { engine: name, active: false }, [
        `${name} is installed and not in use; to use it: npm run -s palimpsest -- engine use ${name}, or /engine ${name} in one chat`,
      ]);
    });
}

interface ListedEngine {
  name: string;
  kind: 'built-in' | 'plug-in';
  /** Named by the config. */
  active: boolean;
  problem: string | null;
}

function listEngines(configPath: string): readonly ListedEngine[] {
  const active = configuredEngine(configPath);
  const ours = bundledEngines.map((name) => ({ name, kind: 'built-in' as const, problem: null }));
  const plugIns = findPlugIns(plugInFolderOf(configPath)).map(({ name, entry }) => ({
    name,
    kind: 'plug-in' as const,
    problem: bundledEngines.includes(name)
      ? 'an engine of ours has this name; it is not used'
      : entry === null
        ? 'its folder holds no index.ts, index.js or index.mjs that calls registerContextEngine'
        : null,
  }));
  const isActive = (one: { name: string; kind: string }): boolean =>
    one.name === active && (one.kind === 'built-in' || !bundledEngines.includes(one.name));
  return [...ours, ...plugIns].map((one) => ({ ...one, active: isActive(one) }));
}

/** Read without judging the name: a list is most needed when it is wrong. */
function configuredEngine(path: string): string {
  return parseConfig(existsSync(path) ? readFileSync(path, 'utf8') : '', path).context.engine;
}

function lineOf({ name, kind, active, problem }: ListedEngine): string {
  const words = `${active ? '*' : ' '} ${name.padEnd(16)} ${kind}`;
  return problem === null ? words : `${words}; ${problem}`;
}

/**
 * Copy a plug-in's folder whole or not at all; it takes the name of its folder.
 * throws input_invalid when it is no plug-in, or one of that name is there already
 */
function installEngine(from: string, folder: string): string {
  const name = basename(from);
  const problem = installProblem(from, join(folder, name));
  if (problem !== null) throw new GatewayError('input_invalid', problem);
  const beside = join(folder, `.${name}.part`);
  mkdirSync(folder, { recursive: true });
  rmSync(beside, { recursive: true, force: true });
  cpSync(from, beside, { recursive: true, filter: (path) => basename(path) !== '.git' });
  renameSync(beside, join(folder, name));
  return name;
}

function installProblem(from: string, to: string): string | null {
  const name = basename(from);
  if (!existsSync(from) || !statSync(from).isDirectory())
    return `${from} is no folder; name the folder of a plug-in.`;
  if (!isPlugInName(name))
    return `${JSON.stringify(name)} cannot be the name of an engine: small letters, digits, - and _, a letter first. Rename the folder.`;
  if (bundledEngines.includes(name))
    return `an engine of ours is named ${name}; rename the folder and the engine in it.`;
  if (entryOf(from) === null)
    return `${from} holds no index.ts, index.js or index.mjs that calls registerContextEngine.`;
  if (existsSync(to)) return `${to} is there already; remove it first to install another.`;
  return null;
}
