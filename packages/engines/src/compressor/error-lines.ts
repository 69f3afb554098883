/** A line that says what failed, cut to its message. */
export interface ErrorLine {
  line: string;
  /** Where the message begins in the text. */
  at: number;
}

/** Cheap to look for; one of them stands in every error line. */
const signs = ['rror', 'xception', 'atal', 'panic', 'FAILED', 'RROR'] as const;

const message =
  /(?:[\w.]{0,80}(?:Error|Exception)|\b(?:error|ERROR|fatal|FATAL|Fatal|panic))(?:[ [][\w-]{1,20}\]?)?: ?\S[^\n]{2,}|\bFAILED \S[^\n]{2,}/;

const longestLine = 200;
const mostLines = 200;
/** A line may be a megabyte of JSON; a message begins near its sign. */
const lead = 120;

/** Lines with an error message, in order, at most 200 of a text. Linear. */
export function errorLines(text: string): readonly ErrorLine[] {
  const found = new Map<number, ErrorLine>();
  for (const sign of signs) {
    let at = text.indexOf(sign);
    while (at !== -1 && found.size < mostLines) {
      const next = text.charCodeAt(at + sign.length);
      // A colon, a blank or a bracket stands behind it; `ValueError(` and `errors` are code and prose.
      if (next !== 58 && next !== 32 && next !== 91) {
        at = text.indexOf(sign, at + sign.length);
        continue;
      }
      const lineEnd = endOfLine(text, at);
      const from = Math.max(text.lastIndexOf('\n', at) + 1, at - lead);
      const match = message.exec(text.slice(from, Math.min(lineEnd, at + longestLine)));
      if (match) {
        const line = match[0].slice(0, longestLine).toWellFormed().trimEnd();
        found.set(from + match.index, { line, at: from + match.index });
      }
      at = text.indexOf(sign, Math.max(lineEnd, at + 1));
    }
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
