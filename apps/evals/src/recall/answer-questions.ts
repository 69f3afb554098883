/** The questions put to a model that has the compacted conversation before it, and its answers judged by the same model. */
import { buildSystemPrompt, collectAnswer, runTools, type CollectedAnswer } from '@palimpsest/agent';
import type { ModelClient, PromptMessage, ToolSchema } from '@palimpsest/core';
import type { Conversation, Question } from './conversation.ts';
import { sample } from './identifiers.ts';
import type { RecallDesk, RecallWorld } from './recall-world.ts';

export interface AnswerFigures {
  /** The model's label; it wrote the summaries too. */
  model: string;
  asked: number;
  /** Share of those that were answered and judged, 0 … 1. */
  right: number;
  /** The model failed, or had not ended after so many steps; counted neither as right nor as wrong. */
  failed: number;
  /** Answers before which the model searched. */
  searched: number;
}

export interface AnswerWish {
  model: ModelClient;
  /** Questions at most, spread over all. */
  most: number;
  signal: AbortSignal;
}

const maxSteps = 6;
const maxAnswerTokens = 1_000;
const maxVerdictTokens = 500;
const box = { timeoutMs: 30_000, maxResultTokens: Infinity };

/** Each question by itself, on the same conversation: none knows of the one before. */
export async function answerQuestions(
  world: RecallWorld,
  { questions, assistant }: Conversation,
  wish: AnswerWish,
): Promise<AnswerFigures> {
  const { engineText, ...atHand } = await world.desk();
  const system = [buildSystemPrompt({ instructions: instructionsFor(assistant), engineText })];
  const desk: Desk = { ...wish, ...atHand, system };
  const outcomes: Outcome[] = [];
  for (const question of sample(questions, wish.most)) {
    if (wish.signal.aborted) break;
    outcomes.push(await judged(question, desk));
  }
  const count = (is: (one: Outcome) => boolean): number => outcomes.filter(is).length;
  const decided = count(({ verdict }) => verdict !== 'failed');
  const right = count(({ verdict }) => verdict === 'right');
  return {
    model: wish.model.info.label,
    asked: outcomes.length,
    right: decided === 0 ? 0 : Number((right / decided).toFixed(4)),
    failed: outcomes.length - decided,
    searched: count(({ searched }) => searched),
  };
}

interface Desk extends AnswerWish, Omit<RecallDesk, 'engineText'> {
  system: readonly string[];
}

interface Outcome {
  verdict: 'right' | 'wrong' | 'failed';
  searched: boolean;
}

function instructionsFor(assistant: string | null): string {
  const name =
    assistant === null ? '' : ` You are ${assistant} in it; what you said there is what ${assistant} said.`;
  return (
    `You are asked about this conversation.${name} Look up what is not before you, then answer in one short sentence, ` +
    'dates as dates. Say that you do not know only after you have searched.'
  );
}

async function judged(question: Question, desk: Desk): Promise<Outcome> {
  const { text, searched } = await answerTo(question.question, desk);
  if (text === null) return { verdict: 'failed', searched };
  const verdict = await ask(desk, {
    system: [
      'You compare an answer with the right one. It is right when it says the same in substance: other words, another ' +
        'form of a date and more detail do no harm; something else, or not knowing, is wrong. Say only "yes" or "no".',
    ],
    messages: [
      said(`Question: ${question.question}\nRight answer: ${question.answer}\nAnswer: ${text}\nIs it right?`),
    ],
    tools: [],
    maxTokens: maxVerdictTokens,
  });
  return { verdict: verdictIn(verdict), searched };
}

function verdictIn(answer: CollectedAnswer): Outcome['verdict'] {
  if (answer.kind === 'failed') return 'failed';
  const word = /^\W*(yes|no)\b/i.exec(answer.text)?.[1]?.toLowerCase();
  return word === undefined ? 'failed' : word === 'yes' ? 'right' : 'wrong';
}

/** Text null: none came. */
async function answerTo(question: string, desk: Desk): Promise<{ text: string | null; searched: boolean }> {
  const messages: PromptMessage[] = [...desk.prompt, said(question)];
  const tools = new Map(desk.tools.map((tool) => [tool.schema.name, tool]));
  for (let step = 1; step <= maxSteps; step += 1) {
    const answer = await ask(desk, {
      system: desk.system,
      messages,
      tools: desk.tools.map(({ schema }) => schema),
      maxTokens: maxAnswerTokens,
    });
    const searched = step > 1;
    if (answer.kind === 'failed') return { text: null, searched };
    if (!answer.row.parts.some(({ type }) => type === 'tool_call')) return { text: answer.text, searched };
    const run = { box: { ...box, tools }, scope: desk.scope, step, save: async () => {} };
    messages.push(answer.row, ...(await runTools(answer.row, run)));
  }
  return { text: null, searched: true };
}

function said(text: string): PromptMessage {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

function ask(
  { model, signal, scope }: Desk,
  request: {
    system: readonly string[];
    messages: readonly PromptMessage[];
    tools: readonly ToolSchema[];
    maxTokens: number;
  },
): Promise<CollectedAnswer> {
  return collectAnswer(
    model,
    { ...request, sessionId: scope.session.id, purpose: 'turn' },
    {
      signal,
      cleanText: (text) => text,
      onText: () => {},
      onRetry: () => {},
      onFellBack: async () => {},
      onCondensed: async () => {},
    },
  );
}
