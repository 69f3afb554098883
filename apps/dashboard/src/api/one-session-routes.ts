import { budgetsOf, budgetWords, callDollars, hasBudget, noUsage, type LedgerRow } from '@palimpsest/core';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ContextReader } from '../context/context-reader.ts';
import type { PagesDeps } from '../deps.ts';
import { refuse } from '../error-response.ts';
import { withContextUse } from './context-use.ts';
import { pageSize, readQuery, whole } from './read-query.ts';

const ledgerPage = z.object({
  id: z.string(),
  before: whole({ least: 1, most: Number.MAX_SAFE_INTEGER, usual: Number.MAX_SAFE_INTEGER }),
  limit: pageSize(20),
});

/** Head and ledger of one session. */
export function oneSessionRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  app.get('/api/sessions/:id', async (c) => {
    const session = await deps.operators.session(c.req.param('id'));
    if (!session)
      return refuse(c, 404, { code: 'row_missing', message: 'There is no session with this id.' });
    const limits = deps.config.model.daily_budget;
    const [spending, [newest], hold, today] = await Promise.all([
      deps.usage.ofSession(session.id),
      deps.compactions.ledger({ sessionId: session.id, limit: 1 }),
      deps.boards.sessionHold(session.id),
      hasBudget(limits) ? deps.usage.today({ sessionId: session.id }) : null,
    ]);
    return c.json({
      session: withContextUse(session, deps.windowTokens),
      spending,
      hold,
      budgets: today ? budgetsOf(limits, today).map(budgetWords) : [],
      newestCompaction: newest ? { id: newest.id, outcome: newest.outcome } : null,
    });
  });
  app.get('/api/sessions/:id/context', async (c) => {
    return c.json({ context: await deps.context.read(c.req.param('id')) });
  });
  app.get('/api/sessions/:id/compactions', async (c) => {
    const { id, before, limit } = readQuery(c, ledgerPage);
    const rows = await deps.compactions.ledger({ sessionId: id, limit, beforeId: before });
    const applied = rows.filter(({ figures }) => figures !== null).map((row) => row.id);
    const [ranges, wrote] = await Promise.all([
      deps.boards.replacedRanges(id, applied),
      deps.boards.writtenCounts(id, applied),
    ]);
    const compactions = rows.map((row) => ({
      ...row,
      dollars: summaryDollars(row, deps.context),
      replaced: ranges.find(({ compactionId }) => compactionId === row.id) ?? null,
      wrote: wrote.get(row.id) ?? 0,
    }));
    return c.json({ compactions, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) });
  });
  return app;
}

/** What the summary's calls cost; null where no call was made, or the price is not known. Calls count as equally long. */
function summaryDollars({ figures, summaryModel }: LedgerRow, context: ContextReader): number | null {
  if (!figures || figures.summaryCalls === 0 || summaryModel === null) return null;
  const price = context.price(summaryModel);
  if (!price) return null;
  const { summaryCalls: calls, summaryInputTokens, summaryOutputTokens } = figures;
  const usage = {
    ...noUsage,
    promptTokens: summaryInputTokens / calls,
    outputTokens: summaryOutputTokens / calls,
  };
  return calls * callDollars(usage, price);
}
