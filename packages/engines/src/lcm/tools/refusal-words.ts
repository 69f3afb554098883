import { never, type LcmRefusal } from '@palimpsest/core';

/** Why a search was refused, and what to do instead. */
export function refusalWords({ reason }: LcmRefusal): string {
  switch (reason) {
    case 'empty_query':
      return '"query" is empty: give a few distinctive words';
    case 'query_too_long':
      return '"query" is too long: 500 characters at most';
    case 'unsafe_regex':
      return 'this expression could take for ever (a repeat inside a repeat, or a repeated choice); write it simpler';
    case 'bad_regex':
      return 'this is no valid regular expression; correct it, or use mode full_text';
    case 'too_slow':
      return 'the search took too long; narrow it with since and before, or with more distinctive words';
    case 'regex_in_full_text':
      return 'this looks like a regular expression; set mode to regex, or give plain words';
    default:
      return never(reason);
  }
}
