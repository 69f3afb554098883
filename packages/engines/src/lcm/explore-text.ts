import { oneLine } from '../compressor/one-line.ts';
import { redact } from '../compressor/redact.ts';

/** What a long text is, in few words: enough to decide whether to open it, and where. */
export interface Explored {
  kind: 'json' | 'table' | 'markup' | 'yaml' | 'code' | 'text';
  summary: string;
}

const mostCharacters = 1_200;
const mostNames = 20;

/** Structure of data, signatures of code, outline of prose; mechanical, secrets masked. The same text gives the same words. */
export function exploreText(text: string): Explored {
  const found =
    asJson(text) ?? asTable(text) ?? asMarkup(text) ?? asCode(text) ?? asYaml(text) ?? asProse(text);
  const summary = redact(found.summary);
  return { ...found, summary: summary.slice(0, mostCharacters).toWellFormed() };
}

function asJson(text: string): Explored | null {
  const start = text.trimStart()[0];
  if (start !== '{' && start !== '[') return null;
  try {
    return { kind: 'json', summary: `JSON: ${shapeOf(JSON.parse(text), 0)}` };
  } catch {
    return asJsonLines(text);
  }
}

function asJsonLines(text: string): Explored | null {
  const lines = text.trim().split('\n');
  try {
    return {
      kind: 'json',
      summary: `${lines.length} lines of JSON, the first: ${shapeOf(JSON.parse(lines[0]!), 0)}`,
    };
  } catch {
    return null;
  }
}

const deepestShape = 2;

function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value))
    return value.length === 0
      ? 'an empty list'
      : `a list of ${value.length}: ${shapeOf(value[0], depth + 1)}`;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const entries = Object.entries(value);
  const shown = entries.slice(0, mostNames).map(([key, inner]) => {
    const isDeep = typeof inner === 'object' && inner !== null;
    return `${oneLine(key, 40)}${isDeep && depth < deepestShape ? ` (${shapeOf(inner, depth + 1)})` : ''}`;
  });
  const more = entries.length > shown.length ? ` and ${entries.length - shown.length} more` : '';
  return `an object with ${shown.join(', ')}${more}`;
}

function asTable(text: string): Explored | null {
  const lines = text.trim().split('\n');
  const [head, ...rows] = lines;
  for (const separator of ['\t', ',', ';']) {
    const columns = head!.split(separator).length;
    const isEven =
      rows.length >= 2 && rows.slice(0, 20).every((row) => row.split(separator).length === columns);
    if (columns >= 2 && isEven)
      return {
        kind: 'table',
        summary: `Table of ${rows.length} rows with the columns ${oneLine(head!, 400)}`,
      };
  }
  return null;
}

function asMarkup(text: string): Explored | null {
  const root = /^\s*(?:<\?xml[^>]{0,200}\?>\s*|<!doctype[^>]{0,200}>\s*)?<([a-zA-Z][\w:-]{0,60})[\s>]/i.exec(
    text,
  )?.[1];
  if (!root) return null;
  const counts = new Map<string, number>();
  for (const [, tag] of text.slice(0, 200_000).matchAll(/<([a-zA-Z][\w:-]{0,60})[\s/>]/g))
    counts.set(tag!, (counts.get(tag!) ?? 0) + 1);
  const top = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostNames);
  return {
    kind: 'markup',
    summary: `Markup <${root}> with ${top.map(([tag, count]) => `${count} × ${tag}`).join(', ')}`,
  };
}

const signature =
  /^[ \t]{0,8}(?:export |public |private |async |static |pub |abstract )*(?:function|class|interface|def|fn|func|struct|enum|trait|impl|type) [^\n]{1,120}/gm;
const importLine =
  /^(?:import |from \S+ import |#include |use |require\(|const \w+ = require\()[^\n]{1,100}/gm;
const leastSignatures = 3;

function asCode(text: string): Explored | null {
  const read = text.slice(0, 400_000);
  const signatures = (read.match(signature) ?? []).map((line) => oneLine(line, 100));
  if (signatures.length < leastSignatures) return null;
  const imports = (read.match(importLine) ?? []).map((line) => oneLine(line, 80));
  const named = [`Code with ${signatures.length} definitions: ${signatures.slice(0, mostNames).join(' · ')}`];
  if (imports.length > 0) named.push(`imports: ${imports.slice(0, 10).join(' · ')}`);
  return { kind: 'code', summary: named.join('\n') };
}

function asYaml(text: string): Explored | null {
  const keys = [...text.slice(0, 200_000).matchAll(/^([A-Za-z_][\w.-]{0,60}):(?: |$)/gm)].map(
    ([, key]) => key!,
  );
  const lines = text.split('\n').filter((line) => line.trim() !== '').length;
  if (keys.length < 2 || !/^\s{2,}\S/m.test(text) || keys.length > lines / 2) return null;
  return { kind: 'yaml', summary: `YAML with the keys ${[...new Set(keys)].slice(0, mostNames).join(', ')}` };
}

function asProse(text: string): Explored {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const headings = lines.filter((line) => /^#{1,4} \S/.test(line)).map((line) => oneLine(line, 80));
  const outline = headings.length > 0 ? `\nheadings: ${headings.slice(0, mostNames).join(' · ')}` : '';
  const first = oneLine(lines[0] ?? '', 300);
  const last = oneLine(lines.at(-1) ?? '', 200);
  return {
    kind: 'text',
    summary: `Text of ${lines.length} lines. Begins: ${first}\nEnds: ${last}${outline}`,
  };
}
