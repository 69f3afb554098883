import {
  callDollars,
  estimateTokens,
  noUsage,
  type Logger,
  type Summariser,
  type SummaryAnswer,
  type SummaryRequest,
  type Usage,
  type UsageStore,
} from '@palimpsest/core';
import { overhearSummaries } from './overhear-summaries.ts';

/** Whose calls they are and where they are written down; without `usage` nowhere. */
interface SummaryBill {
  sessionId(): string;
  usage: Pick<UsageStore, 'addSummary'> | undefined;
  logger: Logger;
}

/**
 * A summariser whose calls are on a session's bill as they come, whatever becomes of their text: plans that are dropped, and
 * answers that are cut off or empty, cost too. A call that gave no answer is not counted: nobody says what it took.
 */
export function onBill(summariser: Summariser, bill: SummaryBill): Summariser {
  return overhearSummaries(summariser, async (answer, request) => {
    const usage = answer.usage ?? estimated(request, answer, summariser);
    if (usage) await writeDown(usage, summariser.model, bill);
  });
}

/** Servers that count nothing are taken at our estimate. */
function estimated(
  { system, prompt }: SummaryRequest,
  answer: SummaryAnswer,
  { pricePerMillion }: Summariser,
): Usage | null {
  if (answer.kind === 'failed') return null;
  const promptTokens = estimateTokens(system) + estimateTokens(prompt);
  const usage = { ...noUsage, promptTokens, outputTokens: estimateTokens(answer.text) };
  return pricePerMillion ? { ...usage, costDollars: callDollars(usage, pricePerMillion) } : usage;
}

/** A summary that is there is not lost because its price could not be noted. */
async function writeDown(usage: Usage, model: string, bill: SummaryBill): Promise<void> {
  const sessionId = bill.sessionId();
  try {
    await bill.usage?.addSummary({
      sessionId,
      model,
      calls: 1,
      inputTokens: usage.promptTokens,
      outputTokens: usage.outputTokens,
      dollars: usage.costDollars ?? null,
    });
  } catch (thrown) {
    bill.logger.warn(
      { sessionId, problem: thrown instanceof Error ? thrown.message : String(thrown) },
      'what a summary cost could not be written down',
    );
  }
}
