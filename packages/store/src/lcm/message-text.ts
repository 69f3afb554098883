/** The text of a transcript row, as SQL. */
import { sql } from 'drizzle-orm';

/**
 * What was said, what tools answered and what stands for large contents: the same as is indexed. Of `messages m`. Most rows
 * have one part: joining what needs no joining costs several times as much as a search in it.
 */
export const messageText = sql.raw(`(CASE
  WHEN jsonb_array_length(m.parts) = 1 AND m.parts->0->>'type' IN ('text', 'tool_result') THEN m.parts->0->>'text'
  ELSE (SELECT coalesce(string_agg(
      CASE WHEN e.part->>'type' = 'payload' THEN e.part->>'preview' ELSE e.part->>'text' END, E'\\n' ORDER BY e.place), '')
    FROM jsonb_array_elements(m.parts) WITH ORDINALITY AS e(part, place)
    WHERE e.part->>'type' IN ('text', 'tool_result', 'payload')) END)`);

/** The same with calls in front of results left readable: for whoever reads one message whole. Of `messages m`. */
export const wholeText = sql.raw(`(SELECT coalesce(string_agg(
    CASE e.part->>'type' WHEN 'payload' THEN e.part->>'preview'
      WHEN 'tool_call' THEN concat(e.part->>'name', ' ', e.part->>'arguments') ELSE e.part->>'text' END, E'\\n' ORDER BY e.place), '')
  FROM jsonb_array_elements(m.parts) WITH ORDINALITY AS e(part, place)
  WHERE e.part->>'type' IN ('header', 'text', 'tool_call', 'tool_result', 'payload'))`);
