/** What the YAML reader found wrong, in words of ours: its own texts quote the file, which may hold a secret. */
import type { ErrorCode } from 'yaml';

const words: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'a * here names no & anchor; put a text that begins with * into quotes',
  BAD_DQ_ESCAPE: 'an unknown \\ escape in double quotes; use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines above, or a bracket is not closed',
  BAD_SCALAR_START: 'a value begins with a character that YAML reserves (@, `, %, …); put it into quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second ": " on the line; put the value into quotes',
  BLOCK_IN_FLOW: 'an indented block inside brackets',
  DUPLICATE_KEY: 'this key stands twice in its section; keep one',
  MISSING_CHAR: 'something is not closed, or a blank after a colon or comma is missing',
  MULTILINE_IMPLICIT_KEY:
    'a key without ": " after it, or a text that goes over several lines without quotes',
  MULTIPLE_DOCS: 'a second document begins ("---"); the file is one document',
  TAB_AS_INDENT: 'a tab as indentation; use blanks',
  UNEXPECTED_TOKEN: 'a bracket or text that does not belong here',
};

/** One sentence about an error of the YAML reader. */
export function yamlProblem(code: ErrorCode): string {
  return `not valid YAML: ${words[code] ?? code.toLowerCase().replaceAll('_', ' ')}`;
}
