import {
  estimateParts,
  estimateTokens,
  type NewRow,
  type OpenRound,
  type Part,
  type Tool,
  type ToolCall,
  type ToolResult,
  type ToolScope,
} from '@palimpsest/core';
import { asPayload } from './long-text.ts';

export interface ToolBox {
  tools: ReadonlyMap<string, Tool>;
  timeoutMs: number;
  /** A result over this many tokens is kept as a payload and referenced. */
  maxResultTokens: number;
  /** Whether a rule of the operator forbids this very call. */
  isForbidden?(call: ToolCall): boolean;
}

export interface ToolRun {
  box: ToolBox;
  scope: ToolScope;
  step: number;
  /** Called before a tool that must not run twice, and after each one ended. */
  save(round: OpenRound): Promise<void>;
}

/** What a call gets whose tool was running when the process died, or that was never started because of /stop. */
export const interruptedText =
  'interrupted: the tool was stopped before it gave a result; it was not run again';

/** Run the calls of one assistant row, in order; the tool rows come back in call order, one a call. */
export async function runTools(assistant: NewRow, run: ToolRun): Promise<readonly NewRow[]> {
  const results: NewRow[] = [];
  for (const call of callsOf(assistant)) {
    const tool = run.box.tools.get(call.name);
    const once = tool !== undefined && !tool.repeatable;
    if (once) await run.save({ step: run.step, rows: [assistant, ...results] });
    results.push(toolRow(call, await runOne(call, tool, run), run.box.maxResultTokens));
    if (once) await run.save({ step: run.step, rows: [assistant, ...results] });
  }
  return results;
}

/**
 * Finish a round that a dead holder left open: repeatable tools run, the call that was under way does not. What a tool
 * changed with the round died with the holder, so such a tool runs again although its answer is there.
 */
export async function resumeRound(open: OpenRound, run: ToolRun): Promise<readonly NewRow[]> {
  const [assistant, ...done] = open.rows;
  const results: NewRow[] = [];
  for (const [index, call] of callsOf(assistant!).entries()) {
    const tool = run.box.tools.get(call.name);
    const answer = done[index];
    if (answer && !tool?.isStoredWithRound) {
      results.push(answer);
      continue;
    }
    // The first call without a result may have run; later ones were never started.
    const mayRun = tool === undefined || tool.repeatable || index > done.length;
    const result = mayRun ? await runOne(call, tool, run) : { text: interruptedText, isError: true };
    results.push(toolRow(call, result, run.box.maxResultTokens));
    if (tool && !tool.repeatable) await run.save({ step: run.step, rows: [assistant!, ...results] });
  }
  return results;
}

function callsOf(assistant: NewRow): ToolCall[] {
  return assistant.parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ id: part.id, name: part.name, arguments: part.arguments }] : [],
  );
}

async function runOne(call: ToolCall, tool: Tool | undefined, run: ToolRun): Promise<ToolResult> {
  if (run.scope.signal.aborted) return { text: interruptedText, isError: true };
  if (!tool)
    return {
      text: `there is no tool ${JSON.stringify(call.name)}; the tools are ${[...run.box.tools.keys()].join(', ')}`,
      isError: true,
    };
  if (run.box.isForbidden?.(call))
    return {
      text: `${call.name} may not be used with these arguments: a rule of the operator forbids it. Go on without it and say so.`,
      isError: true,
    };
  const input = parseArguments(call.arguments);
  if (!input)
    return {
      text: `the arguments of ${call.name} are not a JSON object; send them again as one`,
      isError: true,
    };
  const timeout = AbortSignal.timeout(run.box.timeoutMs);
  const signal = AbortSignal.any([run.scope.signal, timeout]);
  try {
    return await Promise.race([
      tool.run(input, { ...run.scope, callId: call.id, signal }),
      whenAborted(signal),
    ]);
  } catch (thrown) {
    if (timeout.aborted)
      return {
        text: `${call.name} gave no result within ${run.box.timeoutMs} ms and was stopped`,
        isError: true,
      };
    if (run.scope.signal.aborted) return { text: interruptedText, isError: true };
    return {
      text: `${call.name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      isError: true,
    };
  }
}

function parseArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(new Error('aborted'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

function toolRow(call: ToolCall, result: ToolResult, maxTokens: number): NewRow {
  const big = result.text.length / 8 > maxTokens || estimateTokens(result.text) > maxTokens;
  const long = big ? asPayload(result.text, maxTokens) : null;
  const shown = long ? long.preview : result.text;
  const parts: Part[] = [
    { type: 'tool_result', callId: call.id, name: call.name, text: shown, isError: result.isError },
  ];
  return {
    role: 'tool',
    kind: 'tool',
    parts,
    tokens: estimateParts(parts),
    ...(result.files && { files: result.files }),
    payloads:
      long || result.payloads ? [...(long ? [long.payload] : []), ...(result.payloads ?? [])] : undefined,
  };
}
