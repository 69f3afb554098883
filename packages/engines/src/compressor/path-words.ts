/** What of a text is a path: by its form and by its extension. */

export const longestPath = 240;
const longestExtension = 10;

const extensions = new Set(
  'py pyi ipynb ts tsx mts cts js jsx mjs cjs rs go java kt kts swift c h cc cpp cxx hpp hh cs rb php pl lua scala clj ex exs erl hs ml r jl dart vue svelte md mdx rst txt adoc tex yaml yml json jsonl json5 toml ini cfg conf env xml html htm css scss sass less sql sh bash zsh fish ps1 bat csv tsv log lock diff patch proto graphql tf gradle cmake mk dockerfile pdf png jpg jpeg gif svg webp mp3 mp4 wav zip gz tgz tar whl jar exe dll so db sqlite parquet pem key crt doc docx xls xlsx ppt pptx'.split(
    ' ',
  ),
);

/** Pairs of plain words with a slash that are no path. */
const plainPairs =
  /^(?:and\/or|or\/and|he\/she|she\/he|his\/her|her\/his|s\/he|they\/them|yes\/no|y\/n|n\/a|w\/o|i\/o|true\/false|on\/off|either\/or|km\/h|input\/output|read\/write|pass\/fail|client\/server|am\/pm|tcp\/ip|24\/7)$/i;

const plainName = /^[\w@+-]*[A-Za-z][\w.@+-]*$/;
const notInPaths = /^[^A-Za-z]*$|\/\/|[*?&%$^!#]/;
/** Names of up to 64 characters between slashes; base64 is no path. */
const segments = /^(?:~|[\w.@+~-]{0,64})(?:\/[\w.@+~-]{1,64}){0,40}\/?$/;

/** True for a word with a known extension, or with a slash. Fractions, dates and pairs of words are no paths. */
export function isPath(word: string): boolean {
  const slash = word.lastIndexOf('/');
  const dot = word.lastIndexOf('.');
  const hasExtension =
    dot > slash &&
    dot > 0 &&
    word.length - dot - 1 <= longestExtension &&
    extensions.has(word.slice(dot + 1).toLowerCase());
  if (slash === -1) return hasExtension && plainName.test(word);
  if (notInPaths.test(word) || plainPairs.test(word)) return false;
  return hasExtension || segments.test(word);
}

const extensionKeys = new Set(
  [...extensions].map((name) => keyOf(name.charCodeAt(0), name.charCodeAt(name.length - 1), name.length)),
);

/** Whether letters and digits from `at` on are as long as a known extension and begin and end like it; no string is made. */
export function isExtension(text: string, at: number): boolean {
  let end = at;
  while (end - at <= longestExtension && isLetterOrDigit(text.charCodeAt(end))) end++;
  if (end === at || end - at > longestExtension || text.charCodeAt(end) === underscore) return false;
  return extensionKeys.has(keyOf(text.charCodeAt(at), text.charCodeAt(end - 1), end - at));
}

const underscore = 95;

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122);
}

/** First and last letter, whatever their case, and length. */
function keyOf(first: number, last: number, length: number): number {
  return ((first | 32) << 16) | ((last | 32) << 8) | length;
}
