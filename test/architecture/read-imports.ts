/** Every import of the project, read by dependency-cruiser. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser';

/** One import: `from` and `to` are paths below the repository, `specifier` is what the source says. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly specifier: string;
}

export interface Imports {
  /** Source files of ours. */
  readonly modules: readonly string[];
  readonly imports: readonly Import[];
  /** Each as the files on the way round. */
  readonly cycles: readonly (readonly string[])[];
}

const ownSource = /^(packages|apps|infra|test)\/(?!.*node_modules)/;

/** Read packages, apps, infra and test below `root`; type imports count like any other. */
export async function readImports(root: string): Promise<Imports> {
  const result = await cruise(['packages', 'apps', 'infra', 'test'], {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [{ name: 'cycle', severity: 'error', from: {}, to: { circular: true } }] },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
  });
  const output = result.output as ICruiseResult;
  const ours = output.modules.filter((module) => ownSource.test(module.source));
  return {
    modules: ours.map((module) => module.source),
    imports: ours.flatMap((module) => [...importsOf(module), ...typeReExports(root, module.source)]),
    cycles: output.summary.violations.map((violation) => (violation.cycle ?? []).map(({ name }) => name)),
  };
}

function importsOf(module: IModule): readonly Import[] {
  return module.dependencies.map((dependency) => ({
    from: module.source,
    to: dependency.resolved,
    specifier: dependency.module,
  }));
}

/** dependency-cruiser 18 has no parser for TypeScript 7 and overlooks `export type … from` (and nothing else). */
function typeReExports(root: string, from: string): readonly Import[] {
  return importLines(root, from)
    .filter((line) => line.typeReExport)
    .map(({ specifier }) => ({ from, to: target(from, specifier), specifier }));
}

function target(from: string, specifier: string): string {
  const ours = /^@palimpsest\/([a-z-]+)$/.exec(specifier)?.[1];
  if (ours !== undefined) return `packages/${ours}/src/index.ts`;
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}

/** The specifiers of a file, found in its text alone: a second opinion on what was read. */
export function importLines(
  root: string,
  file: string,
): readonly { readonly specifier: string; readonly typeReExport: boolean }[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(
    /^(import|export type|export)\b[^'"`;]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...found].map(([, kind, named, dynamic]) => ({
    specifier: named ?? dynamic ?? '',
    typeReExport: kind === 'export type',
  }));
}
