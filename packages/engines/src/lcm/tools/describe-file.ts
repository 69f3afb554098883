import type { LcmFile, LcmFileWindow, ToolResult } from '@palimpsest/core';
import { answer, refuse, type ToolArguments } from './arguments.ts';
import { notFound, scopeOf, type ToolGround } from './tool-ground.ts';

const bytes = { otherwise: 32_768, least: 1_024, most: 512_000 };

/** What a stored file is, and with `expand_file` a window of its text. */
export async function describeFile(
  id: string,
  input: ToolArguments,
  ground: ToolGround,
): Promise<ToolResult> {
  const window = windowOf(input);
  if (window === null) return refuse('"end_line" must not lie before "start_line"');
  const scope = scopeOf(ground, input);
  const file = await ground.store.file(scope, id);
  if (!file) return refuse(notFound(id));
  const lines = headLines(file);
  if (!input.boolean('expand_file', input.optionalWhole('start_line') !== undefined))
    return answer(lines.join('\n'));
  const slice = await ground.store.readFile(scope, id, window);
  if (!slice) return refuse(notFound(id));
  const end = slice.isTruncated
    ? '[truncated: read on with start_line, or raise expand_file_max_bytes]'
    : '[end]';
  return answer([...lines, '', slice.text, end].join('\n'));
}

/** Null for a range that ends before it begins: nothing is read then. */
function windowOf(input: ToolArguments): LcmFileWindow | null {
  const maxBytes = input.whole('expand_file_max_bytes', bytes);
  const startLine = input.optionalWhole('start_line');
  const endLine = input.optionalWhole('end_line');
  if (startLine === undefined && endLine === undefined) return { kind: 'bytes', offset: 0, maxBytes };
  const from = startLine ?? 1;
  const to = endLine ?? Number.MAX_SAFE_INTEGER;
  return to < from ? null : { kind: 'lines', startLine: from, endLine: to, maxBytes };
}

function headLines(file: LcmFile): string[] {
  const lines = file.lines === null ? '' : `, ${file.lines} lines`;
  const tokens = file.tokens === null ? '' : `, about ${file.tokens} tokens`;
  return [
    `${file.id}: ${file.name} (${file.mime}), ${file.bytes} bytes${lines}${tokens}`,
    ...(file.exploration ? [file.exploration] : []),
  ];
}
