import { identifierKinds } from './identifiers.ts';
import type { RecallResult } from './recall-result.ts';

/** Two Markdown tables: evidence and its reach, then identifiers. */
export function recallTable(results: readonly RecallResult[]): string {
  const judged = results.some(({ answers }) => answers !== undefined);
  const evidence = [
    [
      'transcript',
      'engine',
      'tail',
      'window',
      'questions',
      'evidence in prompt',
      'reachable by one search',
      'archived ones',
      'by one lcm_grep',
      'lines of evidence',
      'tokens before',
      'retained',
      'compactions',
      'search p95 ms',
      ...(judged ? ['answers asked', 'judged right'] : []),
    ],
    ...results
      .filter(({ questions }) => questions > 0)
      .map((one) => [
        ...whereOf(one),
        String(one.questions),
        percent(one.evidence_in_prompt),
        percent(one.reachable_by_one_search),
        percent(one.archived_reachable_by_one_search),
        percent(one.reachable_by_lcm_grep),
        percent(one.evidence_by_one_search),
        ...sizesOf(one),
        ...(judged ? answersOf(one) : []),
      ]),
  ];
  const identifiers = [
    [
      'transcript',
      'engine',
      'tail',
      'window',
      'kind',
      'asked',
      'in prompt',
      'in a plain tail of that size',
      'by search',
    ],
    ...results.flatMap((one) =>
      identifierKinds
        .filter((kind) => one.identifiers[kind].total > 0)
        .map((kind) => {
          const { total, in_prompt, in_plain_tail, by_search } = one.identifiers[kind];
          return [...whereOf(one), kind, ...[total, in_prompt, in_plain_tail, by_search].map(String)];
        }),
    ),
  ];
  return `${[evidence, identifiers]
    .filter((rows) => rows.length > 1)
    .map(markdown)
    .join('\n')}`;
}

function whereOf({ transcript, engine, tail_mode, window }: RecallResult): string[] {
  return [transcript.replace(/\.jsonl$/, ''), engine, tail_mode, String(window)];
}

function sizesOf(one: RecallResult): string[] {
  return [one.tokens_before, one.tokens_retained, one.compactions, one.search_p95_ms].map(String);
}

function answersOf({ answers }: RecallResult): string[] {
  if (answers === undefined) return ['–', '–'];
  return [`${answers.asked} (${answers.failed} failed)`, `${percent(answers.right)} by ${answers.model}`];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function markdown(rows: readonly (readonly string[])[]): string {
  const [head, ...body] = rows;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return [line(head!), line(head!.map(() => '---')), ...body.map(line)].join('');
}
