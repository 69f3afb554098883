import { basename, resolve } from 'node:path';
import { createMainModel, readSettings, type Settings } from '@palimpsest/cli';
import { GatewayError } from '@palimpsest/core';
import type { EvalContext } from '../context.ts';
import { openServices } from '../services/open-services.ts';
import type { MatrixEngine } from '../replay-all/matrix.ts';
import { answerQuestions } from './answer-questions.ts';
import { questionsBeside, readConversation } from './conversation.ts';
import { measureRecall } from './measure.ts';
import { tailModes, type RecallResult, type TailMode } from './recall-result.ts';
import { openRecallWorld } from './recall-world.ts';
import { recallTable } from './recall-table.ts';

export interface RecallOptions {
  transcripts: readonly string[];
  /** null: the file beside the transcript, if there is one. */
  questions: string | null;
  engine: MatrixEngine;
  /** Both, side by side, when left out. */
  tailMode: TailMode | null;
  window: number;
  /** Tokens of one answer of a search. */
  budget: number;
  /** Of a kind, at most. */
  identifiers: number;
  /** Questions that the configured model answers, at most; 0: none. */
  answers: number;
  json: boolean;
}

/** Replay, compact, measure; print one object (of one conversation), a list, or a Markdown table. */
export async function runRecall(context: EvalContext, options: RecallOptions): Promise<number> {
  if (options.transcripts.length === 0)
    throw new GatewayError('input_invalid', 'recall needs --transcript FILE, once or several times');
  await using services = openServices(context, 'test');
  const serverUrl = await services.databaseUrl();
  const settings = options.answers === 0 ? undefined : settingsWithModel(context);
  const results: RecallResult[] = [];
  for (const transcript of options.transcripts)
    for (const tailMode of options.tailMode === null ? tailModes : [options.tailMode]) {
      context.progress(`recall: ${basename(transcript)}, ${options.engine}, ${tailMode} …`);
      results.push(await recallOf(transcript, { ...options, tailMode }, { ...context, serverUrl, settings }));
      if (context.signal.aborted) return 130;
    }
  const [only] = results;
  context.print(
    options.json ? `${JSON.stringify(results.length === 1 ? only : results)}\n` : recallTable(results),
  );
  return 0;
}

async function recallOf(
  transcript: string,
  options: RecallOptions & { tailMode: TailMode },
  {
    folder,
    signal,
    serverUrl,
    settings,
  }: EvalContext & { serverUrl: string; settings?: Settings | undefined },
): Promise<RecallResult> {
  const file = resolve(folder, transcript);
  const questions = options.questions === null ? questionsBeside(file) : resolve(folder, options.questions);
  const conversation = readConversation(file, questions);
  const { engine, tailMode, window } = options;
  await using world = await openRecallWorld({
    serverUrl,
    engine,
    tailMode,
    windowTokens: window,
    signal,
    ...(settings && { settings }),
  });
  for (const rows of conversation.exchanges) {
    if (signal.aborted) break;
    await world.add(rows);
  }
  await world.compact();
  const figures = await measureRecall(world, conversation, {
    budgetTokens: options.budget,
    identifiers: options.identifiers,
  });
  const result = { transcript: basename(file), engine, tail_mode: tailMode, window, ...figures };
  if (!settings || conversation.questions.length === 0) return result;
  const wish = { model: world.model, most: options.answers, signal };
  return { ...result, answers: await answerQuestions(world, conversation, wish) };
}

/** throws config_invalid where no model is configured */
function settingsWithModel({ env, folder }: EvalContext): Settings {
  const settings = readSettings(env, folder);
  if (createMainModel(settings).info.provider !== 'offline') return settings;
  throw new GatewayError(
    'config_invalid',
    '--answers needs a model and none is configured; set a key such as ANTHROPIC_API_KEY, or model.base_url and model.name',
  );
}
