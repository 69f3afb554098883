import { imageTokens, isImageMime } from './media.ts';
import type { Part } from './message.ts';
import type { ToolSchema } from './ports/model.ts';
import { classOfCodeUnits } from './token-estimate/character-classes.ts';
import { makeScanTable } from './token-estimate/scan-table.ts';

const classes = classOfCodeUnits();
const { next, tokens: tokensOfEdge } = makeScanTable();

/**
 * `text.charCodeAt(index)`, eight times as fast where some library (ioredis does) has a class that extends String: V8
 * then no longer inlines methods that are looked up on a string, but this one is looked up only once.
 */
const codeUnitAt: (text: string, index: number) => number = Function.prototype.call.bind(
  String.prototype.charCodeAt,
);

/**
 * Rough tokens of a text, >= 0, whole number. Within a few per cent of o200k_base on chat, code, JSON, logs and the
 * larger languages. The one estimate of the product; real usage always wins over it. Linear in the length: one pass
 * over UTF-16 code units, two table look-ups each, no allocation.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let state = 0;
  const length = text.length;
  for (let index = 0; index < length; index++) {
    const edge = state | classes[codeUnitAt(text, index)]!;
    tokens += tokensOfEdge[edge]!;
    state = next[edge]!;
  }
  return Math.ceil(tokens);
}

/** Role, separators and the like that every message costs on the wire. */
export const messageFramingTokens = 4;
/** Envelope of one tool call or result: ids, names, brackets. */
export const toolFramingTokens = 12;

export function estimatePart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'header':
      return estimateTokens(part.text);
    case 'tool_call':
      return estimateTokens(part.name) + estimateTokens(part.arguments) + toolFramingTokens;
    case 'tool_result':
      return estimateTokens(part.text) + toolFramingTokens;
    case 'payload':
      return estimateTokens(part.preview) + (isImageMime(part.mime) ? imageTokens : 0);
    case 'sidecar':
      return estimateItem(part.item);
  }
}

/** A sealed item holds text that is encrypted and encoded: about this many characters of it stand for a token. */
const sealedCharactersPerToken = 8;
/** Whatever a seal is padded with, its text is no longer than a long thought. */
const mostSealedTokens = 4_000;

/** Tokens of a provider's own item: thoughts by their text, sealed ones by a capped rate, never by their length alone. */
function estimateItem(item: unknown): number {
  if (item === null || typeof item !== 'object') return 0;
  if ('thinking' in item && typeof item.thinking === 'string') return estimateTokens(item.thinking);
  const sealed = 'encrypted_content' in item ? item.encrypted_content : 'data' in item ? item.data : null;
  if (typeof sealed !== 'string') return 0;
  return Math.min(mostSealedTokens, Math.ceil(sealed.length / sealedCharactersPerToken));
}

/** Tokens of one message with its framing. */
export function estimateParts(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), messageFramingTokens);
}

/** Tokens of system text and tool schemas together. */
export function estimateOverhead(system: readonly string[], tools: readonly ToolSchema[]): number {
  const text = system.reduce((sum, block) => sum + estimateTokens(block), messageFramingTokens);
  return tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)) + toolFramingTokens, text);
}
