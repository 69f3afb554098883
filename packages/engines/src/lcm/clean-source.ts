/*
 * What never reaches the summary model: blocks that a plug-in put into the prompt, private reasoning, and bytes as text.
 */

const reasoningTags = ['think', 'thinking', 'reasoning', 'redacted_thinking', 'antthinking'] as const;

/** data:…;base64,… and long runs of base64. */
const dataUrl = /data:[\w.+-]{1,80}\/[\w.+-]{1,80}(?:;[\w=.-]{1,60})*;base64,[A-Za-z0-9+/=_-]{1,}/g;
const longBase64 = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{512,}={0,2}(?![A-Za-z0-9+/=_-])/g;
const mediaPath = /^[ \t]*MEDIA:[^\n]*$/gm;

export interface CleanedText {
  text: string;
  /** Something that is no text was taken out. */
  hadMedia: boolean;
}

/** A text without injected blocks, reasoning, and media. */
export function cleanSource(text: string, injectedTags: readonly string[]): CleanedText {
  const said = withoutBlocks(text, [...injectedTags, ...reasoningTags]);
  const bare = said.replace(dataUrl, '').replace(longBase64, dropBytes).replace(mediaPath, '');
  return { text: bare.trim(), hadMedia: bare.length < said.length };
}

/** A long word of letters alone may be words without blanks; bytes hold digits and capitals. */
function dropBytes(run: string): string {
  return /\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run) ? '' : run;
}

function withoutBlocks(text: string, tags: readonly string[]): string {
  if (!text.includes('<')) return text;
  let result = text;
  for (const tag of tags) {
    if (!result.includes(`<${tag}`)) continue;
    const name = tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    // A block without an end runs to the end of the text.
    result = result.replace(new RegExp(`<${name}(?:\\s[^>]{0,500})?>[\\s\\S]*?(?:</${name}>|$)`, 'g'), '');
  }
  return result;
}
