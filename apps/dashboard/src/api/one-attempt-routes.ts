import { Hono } from 'hono';
import { z } from 'zod';
import type { PagesDeps } from '../deps.ts';
import { coverOfBlocks } from '../palimpsest/lay-page.ts';
import { blockView, nodeViews } from '../palimpsest/page-view.ts';
import { compareTexts } from './compare-texts.ts';
import { anySeq, readQuery, whole } from './read-query.ts';

const oneCompaction = z.object({ id: z.string(), compaction: whole({ ...anySeq, least: 1 }) });

/** What is read of one compaction when a person looks at it. */
export function oneAttemptRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  const path = '/api/sessions/:id/compactions/:compaction';
  app.get(`${path}/written`, async (c) => {
    const { id, compaction } = readQuery(c, oneCompaction);
    const [nodes, blocks, rows] = await Promise.all([
      deps.lcm.writtenBy(id, compaction),
      deps.dcp.blocks(id),
      deps.transcript.liveHeaders(id),
    ]);
    const covers = coverOfBlocks(rows, blocks);
    return c.json({
      nodes: await nodeViews(deps.lcm, id, nodes),
      blocks: blocks
        .filter(({ compactionId }) => compactionId === compaction)
        .map((block) => blockView(block, covers.get(block.number)!)),
    });
  });
  app.get(`${path}/kept`, async (c) => {
    const { id, compaction } = readQuery(c, oneCompaction);
    return c.json({ kept: await deps.boards.keptRows(id, compaction) });
  });
  app.get(`${path}/changes`, async (c) => {
    const { id, compaction } = readQuery(c, oneCompaction);
    const pair = await deps.boards.summaryPair(id, compaction);
    return c.json({ changes: pair && compareTexts(pair.former, pair.text) });
  });
  return app;
}
