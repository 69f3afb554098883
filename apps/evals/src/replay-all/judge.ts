import type { ReplayReport } from '@palimpsest/cli';
import { longAgentFile, type Cell } from './matrix.ts';

/** What a replay of this cell promises and did not keep, a sentence each; empty when all is well. */
export function judge(cell: Cell, report: ReplayReport): string[] {
  return [
    ...zeros(report),
    ...compactions(cell, report),
    ...(report.session_ids.length === 1 ? [] : [`${report.session_ids.length} session ids instead of 1`]),
    ...(report.largest_prompt_tokens <= report.window
      ? []
      : [`a prompt of ${report.largest_prompt_tokens} tokens in a window of ${report.window}`]),
    ...report.violations.map((violation) => `violation: ${violation}`),
  ];
}

function zeros(report: ReplayReport): string[] {
  const counts = {
    lost: report.lost,
    duplicated: report.duplicated,
    'out of order': report.out_of_order,
    'missing rows': report.missing_rows ?? 0,
    'prompts refused': report.prompts_refused,
  };
  const broken = Object.entries(counts).filter(([, count]) => count !== 0);
  const empty = report.sent === 0 ? ['nothing was sent'] : [];
  return [...empty, ...broken.map(([name, count]) => `${count} ${name}`)];
}

/** Compactions that changed something; an attempt that was declined is in the ledger too. */
export function applied(report: ReplayReport): number {
  return report.compactions.filter(
    ({ outcome }) => outcome === 'success' || outcome === 'deterministic' || outcome === 'fallback_trim',
  ).length;
}

export function succeeded(report: ReplayReport): number {
  return report.compactions.filter(({ outcome }) => outcome === 'success').length;
}

function compactions(cell: Cell, report: ReplayReport): string[] {
  const problems: string[] = [];
  const wanted = compactionsWanted(cell);
  const count = applied(report);
  if (count < wanted) problems.push(`${count} compactions, at least ${wanted} wanted`);
  if (count > 0 && succeeded(report) * 2 <= report.compactions.length) {
    problems.push(
      `${succeeded(report)} of ${report.compactions.length} compactions ended success, most should`,
    );
  }
  // One that was applied may be judged ineffective later, by the next real count: it has its event all the same.
  if (report.events < count || report.events > report.compactions.length) {
    problems.push(`${report.events} session:compress events for ${count} compactions`);
  }
  return problems;
}

/** Several in the small window, one in the large one; the short recording of an agent need not fill 128,000 tokens. */
function compactionsWanted(cell: Cell): number {
  switch (cell.window) {
    case 8_000:
    case 32_000:
      return 2;
    case 16_000:
      return 1;
    default:
      return cell.file === longAgentFile ? 1 : 0;
  }
}
