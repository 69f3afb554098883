import { applied, succeeded } from './judge.ts';
import { nameOf } from './matrix.ts';
import type { CellResult } from './run-cell.ts';

const heads = [
  '',
  'recording',
  'platform',
  'window',
  'queue',
  'sent',
  'lost',
  'dup',
  'order',
  'missing',
  'compactions',
  'largest',
  's',
];

/** A row a replay, then what was broken, then one line that says how it went. */
export function resultTable(results: readonly CellResult[], wallMs: number): string {
  const rows = [heads, ...results.map(rowOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((value, column) => value.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const bad = results.filter((result) => result.broken.length > 0);
  const problems = bad.map((result) => `${nameOf(result.cell)}: ${result.broken.join('; ')}`);
  const end = `${results.length - bad.length} of ${results.length} replays kept every promise, ${Math.round(wallMs / 1000)} s`;
  return [...lines, '', ...problems, end, ''].join('\n');
}

function rowOf({ cell, report, broken }: CellResult): string[] {
  const where = [cell.file, cell.platform, String(cell.window), cell.queue];
  const mark = broken.length === 0 ? 'ok' : 'BROKEN';
  if (!report) return [mark, ...where, ...heads.slice(5).map(() => '-')];
  const counts = [
    report.sent,
    report.lost,
    report.duplicated,
    report.out_of_order,
    report.missing_rows ?? '-',
  ].map(String);
  const compactions = `${applied(report)} (${succeeded(report)} success)`;
  return [
    mark,
    ...where,
    ...counts,
    compactions,
    String(report.largest_prompt_tokens),
    (report.wall_ms / 1000).toFixed(0),
  ];
}
