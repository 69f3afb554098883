/** The graphs of the lossless engine: rules that are broken, and summaries that are worse than they could be. */
import type { LcmProblem, Store } from '@palimpsest/core';
import { counted, fine, problem, warning, type Finding } from './finding.ts';

type Check = LcmProblem['check'];

/** What an operator reads; the name of the check stands behind it, as /lcm doctor says it. */
const meanings: Readonly<Record<Check, string>> = {
  message_not_covered: 'neither live nor under a summary',
  message_covered_twice: 'in the context twice',
  item_out_of_order: 'out of order in the context',
  leaf_shape: 'a summary of messages without its messages',
  condensed_shape: 'a summary of summaries without its sources',
  edge_order: 'sources of a summary out of order',
  time_range: 'a summary with the times of other messages',
  counts: 'a summary that miscounts what is under it',
  file_ids: 'a summary that does not name every file under it',
  newest_not_handled: 'the newest stored message is not in the context',
  orphan_debt: 'a condensation that was put off and that nobody works on',
  fallback_summary: 'a summary cut out by rule, because no model wrote one',
  capped_summary: 'a summary that was cut off at its limit',
};

/** One line a session and check, however many rows break it. */
export async function graphFindings(store: Pick<Store, 'operators' | 'lcm'>): Promise<Finding[]> {
  const { lcmSessions } = await store.operators.gauges();
  if (lcmSessions.length === 0) return [];
  const findings: Finding[] = [];
  for (const sessionId of lcmSessions)
    findings.push(...graphFindingsOf(sessionId, await store.lcm.doctor(sessionId)));
  const graphs = counted(lcmSessions.length, 'graph');
  return findings.length > 0
    ? findings
    : [fine('lcm', `${graphs} of the sessions used last looked at: every rule holds`)];
}

function graphFindingsOf(sessionId: string, problems: readonly LcmProblem[]): Finding[] {
  const byCheck = [...Map.groupBy(problems, ({ check }) => check)];
  return byCheck.map(([check, found]) => {
    const words = `session ${sessionId}: ${meanings[check]}, ${counted(found.length, 'time')} (${check})`;
    if (found[0]?.severity === 'broken')
      return problem(
        'lcm',
        `${words}: /lcm doctor in its chat names them; until it is mended use another engine there (/engine compressor), and keep a backup`,
      );
    return warning('lcm', `${words}: ${check === 'orphan_debt' ? leave : redo}`);
  });
}

const redo = '/lcm doctor apply in its chat writes such summaries anew, once the summary model answers';
const leave = 'look again after its next message; if it stays, look into the log of the worker';
