/** A line that says what failed, cut to its message. */
export interface ErrorLine {
  line: string;
  /** Where the message begins in the text. */
  at: number;
}

/** From the beginning of the word that names the failure. */
const message =
  /(?:[\w.]{0,80}(?:Error|Exception)|error|ERROR|fatal|FATAL|Fatal|panic)(?:[ [][\w-]{1,20}\]?)?: ?\S[^\n]{2,200}|FAILED \S[^\n]{2,200}/y;

/** A code between the word and its colon: `error TS2339:`, `error[E0308]:`. */
const withCode = /(?:rror|RROR|atal|ATAL)[ [][\w-]{1,20}\]?$/;
const longestCode = 28;

const endings = ['rror', 'RROR', 'xception', 'atal', 'ATAL', 'panic'] as const;
const failed = 'FAILED ';

const longestLine = 200;
const mostLines = 200;
/** Letters of a class name before its ending. */
const longestName = 90;

/** Lines with an error message, in order, at most 200 of a text. Linear: colons are rarer than letters. */
export function errorLines(text: string): readonly ErrorLine[] {
  const found: ErrorLine[] = [];
  for (let colon = text.indexOf(':'); colon !== -1 && found.length < mostLines;) {
    const sign = signBefore(text, colon);
    const read = sign === -1 ? null : readMessage(text, sign);
    if (read) found.push(read);
    colon = text.indexOf(':', read ? endOfLine(text, colon) : colon + 1);
  }
  for (
    let at = text.indexOf(failed);
    at !== -1 && found.length < mostLines;
    at = text.indexOf(failed, at + 1)
  ) {
    const read = at > 0 && isNameCode(text.charCodeAt(at - 1)) ? null : readMessage(text, at);
    if (read) found.push(read);
  }
  return found.sort((a, b) => a.at - b.at);
}

/** Where the word before a colon ends in the name of a failure; -1 for every other colon. */
function signBefore(text: string, colon: number): number {
  const code = text.charCodeAt(colon - 1);
  switch (code) {
    case 114: // r
    case 82: // R
    case 110: // n
    case 108: // l
    case 76: // L
    case 99: // c
      return endingBefore(text, colon);
    default:
      return code === 93 || isDigit(code) ? codedBefore(text, colon) : -1;
  }
}

function endingBefore(text: string, colon: number): number {
  for (const ending of endings) if (text.endsWith(ending, colon)) return colon - ending.length;
  return -1;
}

function codedBefore(text: string, colon: number): number {
  const from = Math.max(0, colon - longestCode);
  const match = withCode.exec(text.slice(from, colon));
  return match ? from + match.index : -1;
}

function readMessage(text: string, sign: number): ErrorLine | null {
  let start = sign;
  while (start > 0 && sign - start < longestName && isNameCode(text.charCodeAt(start - 1))) start--;
  message.lastIndex = start;
  const match = message.exec(text);
  return match && { line: match[0].slice(0, longestLine).toWellFormed().trimEnd(), at: start };
}

/** Letter, digit, underscore or dot. */
function isNameCode(code: number): boolean {
  return isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122) || code === 95 || code === 46;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
