import { parseObject } from './signature.ts';

/** What of a config keeps a call out of reach. */
export interface CallProtection {
  /** Globs of tool names: `*` any letters, `?` one. */
  tools: readonly string[];
  /** Globs of paths: `**` any depth, `*` and `?` within a name. */
  files: readonly string[];
}

/** Parameters in which tools name files, at any depth: `edits: [{filePath}]` and wrappers of calls too. */
const pathNames: ReadonlySet<string> = new Set([
  'filePath',
  'file_path',
  'filepath',
  'path',
  'file',
  'filename',
]);
/** Patches name their files in lines of their own. */
const patchNames: ReadonlySet<string> = new Set(['patch', 'patchText', 'input', 'code']);
const patchFile = /^\*\*\* (?:Add|Update|Delete|Move to)(?: File)?: (.{1,1000})$/gm;
const deepestValue = 8;

/** True where the tool's name or a file it names is protected. */
export function isProtectedCall(
  call: { name: string; arguments: string },
  { tools, files }: CallProtection,
): boolean {
  if (matchesName(call.name, tools)) return true;
  if (files.length === 0) return false;
  const paths = pathsOf(parseObject(call.arguments), deepestValue);
  return paths.some((path) => files.some((glob) => fileGlob(glob).test(path)));
}

export function matchesName(name: string, globs: readonly string[]): boolean {
  return globs.some((glob) => nameGlob(glob).test(name));
}

/** Paths that an input names: parameters known for it, and the files of patches. */
function pathsOf(value: unknown, depth: number): readonly string[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, depth - 1));
  return Object.entries(value).flatMap(([name, item]) => {
    if (typeof item !== 'string') return pathsOf(item, depth - 1);
    if (pathNames.has(name)) return [item];
    return patchNames.has(name) ? [...item.matchAll(patchFile)].map((found) => found[1]!.trim()) : [];
  });
}

function nameGlob(glob: string): RegExp {
  return globOf(glob, { '*': '.*', '?': '.' });
}

// Two stars and a slash stand for any number of folders, none included.
function fileGlob(glob: string): RegExp {
  return globOf(glob, { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' });
}

function globOf(glob: string, wild: Readonly<Record<string, string>>): RegExp {
  const pieces = glob.match(/\*\*\/|\*\*|[\s\S]/g) ?? [];
  const source = pieces.map((piece) => wild[piece] ?? (piece.startsWith('**') ? '.*' : escaped(piece)));
  return new RegExp(`^${source.join('')}$`, 's');
}

function escaped(piece: string): string {
  return piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
