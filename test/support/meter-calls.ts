/** Reads our sources for what they measure, so that a test can hold it against the table of metrics. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** One call of a meter as it stands in the code: `where` is file:line from the repository's folder. */
export interface MeterCall {
  where: string;
  method: 'count' | 'observe' | 'set';
  name: string;
  labels: string[];
}

/** All calls of meters in packages and apps. */
export function findMeterCalls(): MeterCall[] {
  return sourceFiles().flatMap((file) => meterCalls(file));
}

function sourceFiles(): string[] {
  return ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(repository, folder)).flatMap((name) => {
      const source = join(repository, folder, name, 'src');
      return readdirSync(source, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !(name === 'metrics' && file === 'set-gauges.ts'))
        .map((file) => join(source, file));
    }),
  );
}

/** Every `meter.count|observe|set('name', …)` of a file, with the keys of its label object. */
function meterCalls(file: string): MeterCall[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/[mM]eter\s*\??\.\s*(count|observe|set)\(\s*(['"`])([\w$`{}.]+)\2/g);
  return [...found].map((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    const call = balanced(text, match.index + match[0].indexOf('('));
    return {
      where: `${file.slice(repository.length)}:${line}`,
      method: match[1] as MeterCall['method'],
      name: match[3]!,
      labels: labelKeys(call.slice(call.indexOf(',') + 1), text),
    };
  });
}

/** The text from an opening bracket to its closing one. */
function balanced(text: string, start: number): string {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if ('([{'.includes(text[index]!)) depth++;
    if (')]}'.includes(text[index]!) && --depth === 0) return text.slice(start, index + 1);
  }
  return text.slice(start);
}

/** Keys of the first object literal in the arguments; `...name` is looked up as `const name = {…}` in the file. */
function labelKeys(args: string, text: string): string[] {
  const start = args.indexOf('{');
  if (start < 0) {
    const named = /,?\s*(\w*[lL]abels)\b/.exec(args)?.[1];
    return named ? spreadKeys(named, text) : [];
  }
  const inside = balanced(args, start).slice(1, -1);
  return topLevelPieces(inside).flatMap((piece) => {
    const spread = /^\.\.\.(\w+)$/.exec(piece)?.[1];
    if (spread) return spreadKeys(spread, text);
    const key = /^(\w+)\s*(:|$)/.exec(piece)?.[1];
    return key ? [key] : [];
  });
}

function spreadKeys(name: string, text: string): string[] {
  const declared = new RegExp(`const ${name}[^=]*=\\s*\\{`).exec(text);
  if (!declared)
    throw new Error(`the labels ${name} of a meter call are not declared as an object in the same file`);
  return labelKeys(balanced(text, declared.index + declared[0].length - 1), text);
}

function topLevelPieces(text: string): string[] {
  const pieces = [''];
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character)) depth--;
    if (character === ',' && depth === 0) pieces.push('');
    else pieces[pieces.length - 1] += character;
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}
