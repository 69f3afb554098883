const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
// East Asian wide and full-width blocks; emoji are told apart by their property.
const wide =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|^[\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

/** Columns that a text takes in a monospaced block. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOf(segment);
  return width;
}

function widthOf(character: string): number {
  if (/^[\p{Cc}\p{Cf}\p{M}]+$/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
