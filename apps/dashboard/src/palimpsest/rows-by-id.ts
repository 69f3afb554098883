import { rowView, type RowView } from '../api/row-view.ts';
import type { PagesDeps } from '../deps.ts';

/** A page of named rows with their texts. `seqs`: where each stands; `state` is what they all are. */
export async function rowsById(
  transcript: PagesDeps['transcript'],
  sessionId: string,
  wish: {
    rows: readonly { id: number; seq: number }[];
    state: RowView['state'];
    after: number;
    limit: number;
  },
): Promise<{ rows: RowView[]; next: number | null; total: number }> {
  const { state, after, limit } = wish;
  const rest = wish.rows.filter(({ seq }) => seq > after).sort((one, other) => one.seq - other.seq);
  const page = rest.slice(0, limit);
  const bodies = await transcript.bodies(
    sessionId,
    page.map(({ id }) => id),
  );
  return {
    rows: bodies.map((body) => rowView({ ...body, state, archivedBy: null })),
    next: rest.length > limit ? (page.at(-1)?.seq ?? null) : null,
    total: wish.rows.length,
  };
}
