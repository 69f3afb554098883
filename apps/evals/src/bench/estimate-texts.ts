import { createHash } from 'node:crypto';

/** Characters of each text, about. */
const size = 500_000;

const prose =
  'The meeting was moved to Thursday because the train from Lyon came late, and nobody minded: we walked along ' +
  'the river, talked about her new job, and agreed that the second chapter needs a shorter beginning. ';

const code = `export async function claimRow(tx: Transaction, wanted: { id: number; owner: string }): Promise<Row | null> {
  const [row] = await tx.query('UPDATE jobs SET owner = $1 WHERE id = $2 RETURNING *', [wanted.owner, wanted.id]);
  if (row === undefined || row.attempts > maxAttempts) return null;
  return { ...row, claimedAt: new Date(), tags: row.tags.filter((tag) => tag !== 'stale') };
}
`;

const cjk =
  '会議は木曜日に変更されました。電車が遅れたからです。私たちは川沿いを歩き、新しい仕事について話しました。' +
  '第二章の始まりはもっと短い方がいいと思います。他们同意下周再谈，并把文件发给所有人。';

/** One text a kind, the same at every run. */
export function estimateTexts(): Record<'prose' | 'code' | 'json' | 'cjk' | 'base64', string> {
  return {
    prose: filled((index) => `${index}. ${prose}`),
    code: filled((index) => code.replaceAll('Row', `Row${index}`)),
    json: filled((index) => `${JSON.stringify(record(index))}\n`),
    cjk: filled(() => cjk),
    base64: filled((index) => createHash('sha512').update(String(index)).digest('base64')),
  };
}

function filled(piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0, index = 0; length < size; index += 1) {
    const next = piece(index);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join('');
}

function record(index: number): object {
  return {
    id: 100_000 + index * 7,
    name: `item-${index}`,
    price: index / 8,
    in_stock: index % 3 > 0,
    tags: ['blue', 'small', `batch${index % 40}`],
    made: { at: '2026-03-02T09:00:00Z', by: null },
  };
}
