/** A text on one line, at most `chars` long; white space runs become one blank. */
export function oneLine(text: string, chars: number): string {
  return cut(
    text
      .slice(0, chars * 4)
      .replace(/\s+/g, ' ')
      .trim(),
    chars,
  );
}

/** The beginning of a text, at most `chars` UTF-16 units with the mark of what is left out; never half a character. */
export function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).toWellFormed()}…`;
}
