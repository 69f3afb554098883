/** Messages that are pieces of one: a long text that the client cut up, an album, forwards sent together. */

/** What is looked at of a message. */
export interface SeriesPiece {
  senderId: string | null;
  /** `text`: a piece so long that the client may have cut it · `forwards` · `album:` and its id. */
  series?: string;
  sentAt: Date;
}

/** A client sends what it cut up at once, and the platforms count whole seconds; nobody writes another message so soon. */
const togetherMs = 2_000;

/**
 * For each message the index of the one that its series begins with, its own when it is in none.
 * `said` are messages of one chat in the order in which they came. The last piece of a cut text is of any length.
 */
export function seriesHeads(said: readonly SeriesPiece[]): number[] {
  const heads: number[] = [];
  for (const [index, piece] of said.entries()) {
    const head = heads[index - 1] ?? index;
    heads.push(index > 0 && goesOn(said[head]!, said[index - 1]!, piece) ? head : index);
  }
  return heads;
}

function goesOn(head: SeriesPiece, previous: SeriesPiece, piece: SeriesPiece): boolean {
  if (head.series === undefined || head.senderId !== piece.senderId) return false;
  if (head.series.startsWith('album:')) return piece.series === head.series;
  const isTogether = Math.abs(piece.sentAt.getTime() - previous.sentAt.getTime()) <= togetherMs;
  return isTogether && (piece.series ?? 'text') === head.series;
}
