/**
 * Cuts a stream of bytes into lines. Pieces are joined once a line, so that a long line costs no more than its length.
 *
 * maxBytes  a line longer than this is refused
 * returns   a function that takes a chunk and gives the lines it completed; null once a line is too long
 */
export function lineReader(maxBytes: number): (chunk: Buffer) => readonly string[] | null {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      lines.push(Buffer.concat([...pieces, chunk.subarray(from, at)]).toString('utf8'));
      pieces = [];
      bytes = 0;
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    bytes += chunk.length - from;
    return bytes > maxBytes || lines.some((line) => line.length > maxBytes) ? null : lines;
  };
}
