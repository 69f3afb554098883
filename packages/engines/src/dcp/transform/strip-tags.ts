import type { Part } from '@palimpsest/core';

/** Names of our tags begin so; a model that copies one never gets it back, and people never see it. */
const tagStart = '<dcp';
const openingTag = /<(dcp[a-z0-9_-]{0,40})(?:\s[^<>]{0,400})?>/gi;
const lonelyTag = /<\/?dcp[a-z0-9_-]{0,40}(?:\s[^<>]{0,400})?\/?>/gi;
/** The short marks, only where they end a line: `[m0042]` in the middle of a sentence is the model's own. */
const markAtLineEnd = /\[(?:m\d{4,12}(?: (?:low|medium|high))?|BLOCKED)\][ \t]*$/gm;
const blockMarkAlone = /^[ \t]*\[b[1-9]\d{0,8}\][ \t]*$/gm;
/** A mark or tag of which only the beginning has been streamed, so that no preview shows it. */
const begunAtEnd = /(?:\n\[m\d{0,12}|<\/?dcp[a-z0-9_-]{0,40})$/i;
/** What some models leave of a broken tool call. */
const brokenCallEnd = /m\d{4,12}<\/parameter>\s*$/;

/**
 * A text of the model without marks and tags that it copied from its prompt: tags named dcp… with what they enclose,
 * then single ones, then refs at line ends. Texts without any come back as the same string. Linear.
 */
export function stripTags(text: string): string {
  const bare = stripMarks(stripPairs(text));
  const whole = bare.replace(brokenCallEnd, '').replace(begunAtEnd, '');
  return whole === text ? text : whole.replace(/\n{3,}/g, '\n\n').trim();
}

/** Texts that are not the model's lose the tags and keep every word: nothing that a person said may go. */
export function stripTagMarks(text: string): string {
  return mayHoldTag(text) ? text.replace(lonelyTag, '') : text;
}

/** The same of every text of a message, by who wrote it; parts without tags keep their identity. */
export function stripParts(parts: readonly Part[], role: 'user' | 'assistant' | 'tool'): readonly Part[] {
  let changed = false;
  const clean = parts.map((part) => {
    const stripped = stripPart(part, role);
    changed ||= stripped !== part;
    return stripped;
  });
  return changed ? clean : parts;
}

function stripPart(part: Part, role: 'user' | 'assistant' | 'tool'): Part {
  if (part.type !== 'text' && part.type !== 'tool_result') return part;
  const text = role === 'assistant' ? stripTags(part.text) : stripTagMarks(part.text);
  return text === part.text ? part : { ...part, text };
}

function mayHoldTag(text: string): boolean {
  return text.includes(tagStart) || text.includes('</dcp') || /<\/?dcp/i.test(text);
}

function stripMarks(text: string): string {
  if (!text.includes('[')) return text;
  return text.replace(markAtLineEnd, '').replace(blockMarkAlone, '');
}

/** Pairs first, then what is left of single tags. A name without a closing tag is looked for once. */
function stripPairs(text: string): string {
  if (!mayHoldTag(text)) return text;
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const found of text.matchAll(openingTag)) {
    const name = found[1]!;
    if (found.index < from || unclosed.has(name) || found[0].endsWith('/>')) continue;
    const closing = `</${name}`;
    const close = text.indexOf(closing, found.index);
    const end = close === -1 ? -1 : text.indexOf('>', close);
    if (end === -1) {
      unclosed.add(name);
      continue;
    }
    kept.push(text.slice(from, found.index));
    from = end + 1;
  }
  kept.push(text.slice(from));
  return kept.join('').replace(lonelyTag, '');
}
