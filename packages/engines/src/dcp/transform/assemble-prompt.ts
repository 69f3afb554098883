import {
  toGatewayError,
  type Assembled,
  type DcpChange,
  type Logger,
  type ModelInfo,
  type PromptBudget,
  type PromptMessage,
  type TranscriptView,
} from '@palimpsest/core';
import { assemble } from '../../compressor/assemble.ts';
import { restoreState } from '../compress/restore-state.ts';
import type { NudgeDecision } from '../nudges/decide-nudge.ts';
import { nudgeFor } from '../nudges/nudge-for.ts';
import { nudgeText } from '../nudges/nudge-text.ts';
import type { DcpDesk } from '../state/desk.ts';
import { transform } from './transform.ts';
import { promptFault } from './validate-prompt.ts';

export interface PromptWish {
  view: TranscriptView;
  budget: PromptBudget;
  model: ModelInfo;
  logger: Logger;
}

/**
 * The messages of the next request and what is to be stored with its round.
 *
 *   refs for new units → blocks, marks, stubs, refs in the copy → sound? ─ no ─► the rows as they are, if they fit
 *                                                                  └──── yes ─► with a nudge at the end, if one is due
 *
 * Whatever goes wrong in it, the person gets an answer: the rows as they are go out, and the fault into the log.
 */
export async function assemblePrompt(desk: DcpDesk, wish: PromptWish): Promise<Assembled> {
  if (!desk.config.enabled) return assemble(wish.view);
  try {
    return await transformed(desk, wish);
  } catch (thrown) {
    const { code } = toGatewayError(thrown);
    const fields = { sessionId: wish.view.session.id, engine: 'dcp', code, fault: nameOf(thrown) };
    wish.logger.error(
      fields,
      'the prompt could not be transformed; the conversation is sent as it is stored',
    );
    return assemble(wish.view);
  }
}

async function transformed(desk: DcpDesk, wish: PromptWish): Promise<Assembled> {
  const { view, budget } = wish;
  const { config } = desk;
  const restored = await restoreState(desk.state, config, view);
  if (restored) desk.queue(restored);
  const { state, refs } = desk.withRefs(view);
  const { layout, sizes } = desk.look(view);
  const messages = await transform({ view, layout, state, config });
  const raw = await insteadOf(messages, wish);
  if (raw) return raw;
  const key = `${view.rows.at(-1)?.id} ${view.rows.length} ${state.version}`;
  if (desk.tail?.key === key) return sealed(desk, wish, { messages, refs, nudge: desk.tail.nudge, more: {} });
  const decision = nudgeFor({ view, budget, model: wish.model, config, state, layout, sizes });
  const nudge = decision.words ? nudgeText(decision.words) : null;
  if (config.debug) noteFigures(desk, wish, { messages: messages.length, words: decision.words });
  desk.tail = { key, nudge };
  return sealed(desk, wish, { messages, refs, nudge, more: nudgeChange(decision) });
}

function sealed(
  desk: DcpDesk,
  { view }: PromptWish,
  made: {
    messages: readonly PromptMessage[];
    refs: NonNullable<DcpChange['refs']>;
    nudge: string | null;
    more: Partial<DcpChange>;
  },
): Assembled {
  const { messages, refs, nudge, more } = made;
  const change = desk.handOut(view, { ...(refs.length > 0 ? { refs } : {}), ...more });
  const note: PromptMessage[] =
    nudge === null ? [] : [{ role: 'user', parts: [{ type: 'text', text: nudge }] }];
  const all = [...messages, ...note];
  return change ? { messages: all, stateChange: { engine: 'dcp', json: change } } : { messages: all };
}

function nudgeChange({ words, nudge, grant }: NudgeDecision): Partial<DcpChange> {
  const change: Partial<DcpChange> = {};
  if (nudge) change.nudge = nudge;
  if (grant !== undefined) change.grant = grant;
  if (words) {
    const { kind, level, spans } = words;
    change.counts = { nudges: 1 };
    change.events = [{ kind: 'nudge', detail: { kind, level, spans } }];
  }
  return change;
}

/** An unsound prompt is never sent where the rows as they are would do; null: the prompt is sound, or they would not. */
async function insteadOf(messages: readonly PromptMessage[], wish: PromptWish): Promise<Assembled | null> {
  const { view, logger } = wish;
  const fault = promptFault(messages, view.rows.at(-1)?.role === 'assistant');
  const raw = fault === null ? null : await rawIfSound(wish);
  if (raw)
    logger.warn({ sessionId: view.session.id, fault }, 'the transformed prompt was unsound; sent as stored');
  return raw;
}

/** What a request is made of, for the log: figures only. */
function noteFigures(
  desk: DcpDesk,
  { view, logger }: PromptWish,
  { messages, words }: { messages: number; words: NudgeDecision['words'] },
): void {
  const { layout, sizes } = desk.look(view);
  const { version, marks } = desk.state;
  const nudge = words ? `${words.kind} ${words.level}` : null;
  const shown = { messages, blocks: layout.active.length, marks: marks.length, tokens: sizes.tokens, nudge };
  logger.info({ sessionId: view.session.id, version, ...shown }, 'dcp request');
}

/** The rows as they are, where that is sound and fits; null where the fault is in the rows themselves. */
async function rawIfSound({ view, budget }: PromptWish): Promise<Assembled | null> {
  const tokens = view.rows.reduce((sum, row) => sum + row.tokens, 0) * view.session.estimateRatio;
  if (budget.overheadTokens + tokens >= budget.windowTokens - budget.outputReserveTokens) return null;
  const raw = await assemble(view);
  return promptFault(raw.messages) === null ? raw : null;
}

/** The class of what was thrown; its message may quote a text. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
