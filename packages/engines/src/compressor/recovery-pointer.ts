/*
 * The call that brings archived text back: session_search over live and archived rows. It finds rows that hold all
 * words of its query, so the words are taken from one row.
 */

const wordsOfQuery = 4;
/** Words are chosen from this much of a text: the search index holds pieces of 8,000 characters. */
const readChars = 1_500;
const longestWord = 24;

/** Scripts without blanks are words of their own, as in the index. */
const runs =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]]+/gv;
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]/u;

/** Words that stand in nearly every row tell none apart. */
const commonWords = new Set(
  'about after again also another because been before being between both cannot could does doing done each error first from have here into just like line lines make more most need only other output over result results should some such than that their them then there these they thing this those through under until very want what when where which while will with without would your'.split(
    ' ',
  ),
);

/** `session_search {"query": "…"}` with words of the text; words of anything when the text has none. */
export function recoveryCall(text: string): string {
  const words = distinctiveWords(text);
  const query = words.length > 0 ? words.join(' ') : 'what you look for';
  return `session_search {"query": ${JSON.stringify(query)}}`;
}

/** Up to four of the longest words, in the order of the text. */
function distinctiveWords(text: string): readonly string[] {
  const found = new Map<string, number>();
  const known = new Set<string>();
  for (const [run] of text.slice(0, readChars).matchAll(runs)) {
    const word = clip(run);
    const plain = word.toLowerCase();
    if (word === '' || commonWords.has(plain) || known.has(plain)) continue;
    known.add(plain);
    found.set(word, found.size);
  }
  // What was masked is not in the index under this name.
  found.delete('REDACTED');
  const longest = [...found.keys()].sort(
    (a, b) => weightOf(b) - weightOf(a) || found.get(a)! - found.get(b)!,
  );
  return longest.slice(0, wordsOfQuery).sort((a, b) => found.get(a)! - found.get(b)!);
}

/** Runs of scripts without blanks are cut to a phrase; ids that were cut would be found by nobody. */
function clip(run: string): string {
  if (unspaced.test(run)) return [...run].slice(0, 6).join('');
  return run.length < 3 || run.length > longestWord ? '' : run;
}

/** Longer is rarer, up to a point; words with digits among letters are ids. */
function weightOf(word: string): number {
  if (/^\d+$/.test(word)) return 1;
  return Math.min(word.length, 12);
}
