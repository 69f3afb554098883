import { estimateTokens, type LcmConfig } from '@palimpsest/core';
import { cutToTokens } from '../compressor/deterministic-summary.ts';
import { cutMiddle } from './cut-middle.ts';
import { withFooter } from './expand-footer.ts';
import { fallbackText } from './fallback-text.ts';
import type { WrittenText } from './make-node.ts';
import { summaryPrompt, type PromptLevel } from './prompts.ts';
import type { DeskAnswer, DeskStop, SummaryDesk } from './summary-desk.ts';

export interface TextWish {
  depth: number;
  /** Redacted. */
  source: string;
  previous: string;
  focus: string;
  targetTokens: number;
  aggressiveTokens: number;
  /** Most tokens of the text that needs no model. */
  fallbackTokens: number;
  /** Whether a text is smaller than what it stands for. */
  isSmaller(written: WrittenText): boolean;
  restMs(): number;
}

export type TextEnd =
  | { kind: 'text'; written: WrittenText }
  /** Not even the shortest text is smaller than its source. */
  | { kind: 'not_smaller' }
  /** The summary model's window is smaller than was said. */
  | { kind: 'too_large' }
  | DeskStop;

export interface TextHelp {
  /** Null: no model may be asked. */
  desk: SummaryDesk | null;
  config: LcmConfig;
}

/**
 * The text of one summary: normal, then only what must not be lost, then without a model. Each level is taken only when
 * it is smaller than its source; the last one always is, where anything can be.
 */
export async function writeText(wish: TextWish, help: TextHelp): Promise<TextEnd> {
  if (help.desk) {
    const normal = await askLevel(wish, 'normal', { ...help, desk: help.desk });
    if (normal.kind === 'stop' || normal.kind === 'text' || normal.kind === 'too_large') return normal;
    if (normal.kind === 'not_smaller') {
      const brief = await askLevel(wish, 'aggressive', { ...help, desk: help.desk });
      if (brief.kind === 'stop' || brief.kind === 'text') return brief;
    }
  }
  return withoutModel(wish);
}

type Asked = TextEnd | { kind: 'empty' };

async function askLevel(
  wish: TextWish,
  level: PromptLevel,
  { desk, config }: { desk: SummaryDesk; config: LcmConfig },
): Promise<Asked> {
  const targetTokens = level === 'normal' ? wish.targetTokens : wish.aggressiveTokens;
  const request = summaryPrompt({
    depth: wish.depth,
    level,
    source: cutMiddle(wish.source, desk.inputTokens),
    previous: wish.previous,
    focus: wish.focus,
    instructions: config.custom_instructions,
    targetTokens,
  });
  const cap = Math.ceil(targetTokens * config.summary_max_overage_factor);
  // Measured before it is cut: what is longer than its source is no summary, however short the rest of it.
  const accepts = (text: string): boolean =>
    wish.isSmaller(finish(wish, { text, level, cap: Infinity })) &&
    wish.isSmaller(finish(wish, { text, level, cap }));
  const answer: DeskAnswer = await desk.ask(request, { accepts, restMs: wish.restMs() });
  if (answer.kind !== 'text') return answer;
  const { provider, model } = answer;
  return { kind: 'text', written: { ...finish(wish, { text: answer.text, level, cap }), provider, model } };
}

const cappedMark = '[capped: the summary went on]';

/** The text with its last line; one far over its target is cut and marked. */
function finish(
  { source }: TextWish,
  { text, level, cap }: { text: string; level: PromptLevel; cap: number },
): WrittenText {
  const by = { provider: null, model: null };
  const whole = withFooter(text, source);
  if (estimateTokens(whole) <= cap) return { content: whole, escalation: level, ...by };
  const cut = `${cutToTokens(text, Math.max(1, cap - estimateTokens(cappedMark)))}\n${cappedMark}`;
  return { content: withFooter(cut, source), escalation: 'capped', ...by };
}

const fallbackShares = [1, 0.5, 0.25];

function withoutModel(wish: TextWish): TextEnd {
  for (const share of fallbackShares) {
    const content = fallbackText(wish.source, Math.max(16, Math.floor(wish.fallbackTokens * share)));
    const written: WrittenText = { content, escalation: 'fallback', provider: null, model: null };
    if (wish.isSmaller(written)) return { kind: 'text', written };
  }
  return { kind: 'not_smaller' };
}
