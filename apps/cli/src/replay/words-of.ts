/** A platform shows Markdown as form or escapes it: what is left when marks, escapes and white space are aside. */
export function wordsOf(text: string): string {
  return text.replaceAll(/[\s\\*_~`|#>•\u200B-]/g, '');
}
