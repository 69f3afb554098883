/** What the token estimate tells apart among UTF-16 code units. At most 32, so that a class fits five bits. */
export const characterClasses = [
  'other',
  'lower',
  'upper',
  'digit',
  'blank',
  'tab',
  'newline',
  'joint',
  'pause',
  'mark',
  'accented',
  'greek',
  'cyrillic',
  'hebrew',
  'arabic',
  'devanagari',
  'indic',
  'southEast',
  'caucasian',
  'hiragana',
  'katakana',
  'han',
  'hangul',
  'wideMark',
  'typeset',
  'joiner',
  'symbol',
  'pairOfPictures',
  'pairOfFaces',
  'pairOfNewFaces',
  'pairOther',
  'pairEnd',
] as const;

export type CharacterClass = (typeof characterClasses)[number];

/** First and last code unit of each class; a later line wins over an earlier one. */
const ranges: readonly (readonly [CharacterClass, number, number])[] = [
  ['mark', 0x00, 0x7f], // control characters too: each is a token or part of one
  ['lower', 0x61, 0x7a],
  ['upper', 0x41, 0x5a],
  ['digit', 0x30, 0x39],
  ['blank', 0x20, 0x20],
  ['tab', 0x09, 0x09],
  ['newline', 0x0a, 0x0a],
  ['newline', 0x0d, 0x0d],
  ['typeset', 0xa0, 0xbf],
  ['accented', 0xc0, 0x24f],
  ['typeset', 0xd7, 0xd7],
  ['typeset', 0xf7, 0xf7],
  ['joiner', 0x300, 0x36f], // combining accents
  ['greek', 0x370, 0x3ff],
  ['cyrillic', 0x400, 0x52f],
  ['caucasian', 0x530, 0x58f],
  ['hebrew', 0x590, 0x5ff],
  ['arabic', 0x600, 0x77f],
  ['devanagari', 0x900, 0x97f],
  ['indic', 0x980, 0xdff],
  ['southEast', 0xe00, 0x109f],
  ['caucasian', 0x10a0, 0x10ff],
  ['hangul', 0x1100, 0x11ff],
  ['southEast', 0x1780, 0x17ff],
  ['accented', 0x1e00, 0x1eff],
  ['greek', 0x1f00, 0x1fff],
  ['joiner', 0x200b, 0x200f],
  ['typeset', 0x2010, 0x205f], // dashes, curly quotes, the ellipsis
  ['joiner', 0x2060, 0x206f],
  ['symbol', 0x2070, 0x20cf],
  ['joiner', 0x20d0, 0x20ff],
  ['symbol', 0x2100, 0x2bff], // arrows, lines of boxes, older pictures
  ['wideMark', 0x3000, 0x303f],
  ['hiragana', 0x3040, 0x309f],
  ['katakana', 0x30a0, 0x30ff],
  ['hangul', 0x3130, 0x318f],
  ['katakana', 0x31f0, 0x31ff],
  ['han', 0x3400, 0x9fff],
  ['hangul', 0xac00, 0xd7af],
  ['pairOther', 0xd800, 0xdbff],
  ['pairOfPictures', 0xd83c, 0xd83c],
  ['pairOfFaces', 0xd83d, 0xd83d],
  ['pairOfNewFaces', 0xd83e, 0xd83e],
  ['pairEnd', 0xdc00, 0xdfff],
  ['han', 0xf900, 0xfaff],
  ['arabic', 0xfb50, 0xfdff],
  ['joiner', 0xfe00, 0xfe0f], // variation selectors
  ['arabic', 0xfe70, 0xfefe],
  ['wideMark', 0xff00, 0xff65],
  ['katakana', 0xff66, 0xff9f],
];

/** Punctuation that a word after it tends to swallow, and punctuation that ends a phrase. */
const joints = './_-';
const pauses = ",:;!?'";

/** Index in `characterClasses` of every UTF-16 code unit. */
export function classOfCodeUnits(): Uint8Array {
  const classes = new Uint8Array(0x1_0000);
  for (const [name, first, last] of ranges) classes.fill(characterClasses.indexOf(name), first, last + 1);
  for (const joint of joints) classes[joint.charCodeAt(0)] = characterClasses.indexOf('joint');
  for (const pause of pauses) classes[pause.charCodeAt(0)] = characterClasses.indexOf('pause');
  return classes;
}
