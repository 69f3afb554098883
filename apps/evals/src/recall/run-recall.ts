import { basename, resolve } from 'node:path';
import { GatewayError } from '@palimpsest/core';
import type { EvalContext } from '../context.ts';
import { openServices } from '../services/open-services.ts';
import type { MatrixEngine } from '../replay-all/matrix.ts';
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
  json: boolean;
}

/** Replay, compact, measure; print one object (of one conversation), a list, or a Markdown table. */
export async function runRecall(context: EvalContext, options: RecallOptions): Promise<number> {
  if (options.transcripts.length === 0)
    throw new GatewayError('input_invalid', 'recall needs --transcript FILE, once or several times');
  await using services = openServices(context, 'test');
  const serverUrl = await services.databaseUrl();
  const results: RecallResult[] = [];
  for (const transcript of options.transcripts)
    for (const tailMode of options.tailMode === null ? tailModes : [options.tailMode]) {
      context.progress(`recall: ${basename(transcript)}, ${options.engine}, ${tailMode} …`);
      results.push(await recallOf(transcript, { ...options, tailMode }, { ...context, serverUrl }));
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
  { folder, signal, serverUrl }: EvalContext & { serverUrl: string },
): Promise<RecallResult> {
  const file = resolve(folder, transcript);
  const questions = options.questions === null ? questionsBeside(file) : resolve(folder, options.questions);
  const conversation = readConversation(file, questions);
  const { engine, tailMode, window } = options;
  await using world = await openRecallWorld({ serverUrl, engine, tailMode, windowTokens: window, signal });
  for (const rows of conversation.exchanges) {
    if (signal.aborted) break;
    await world.add(rows);
  }
  await world.compact();
  const figures = await measureRecall(world, conversation, {
    budgetTokens: options.budget,
    identifiers: options.identifiers,
  });
  return { transcript: basename(file), engine, tail_mode: tailMode, window, ...figures };
}
