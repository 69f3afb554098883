/** One model call: onto its turn, and onto the day of the session, the person and the model. */
import { cleanDeep, type SessionPatch, type Usage } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { tellWanted } from '../write-events.ts';

const microdollarsPerDollar = 1_000_000;

interface TurnStep {
  sessionId: string;
  turnId: string;
  step: number;
  /** The state in which the turn ends with this step; left out, it goes on. */
  ended?: string;
}

interface TurnCall extends TurnStep {
  usage: Usage | null;
  /** Changes with it: the model that a session is first answered with is not in its row yet. */
  session?: SessionPatch;
}

/** Add a model call to the turn and move its last step; `usage` null: only the step. One statement. */
export async function addUsage(tx: Transaction, call: TurnCall): Promise<void> {
  if (call.usage === null) return moveStep(tx, call);
  const { promptTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = call.usage;
  const { costDollars, raw, answeredBy } = call.usage;
  const microdollars = Math.round((costDollars ?? 0) * microdollarsPerDollar);
  await run(
    tx,
    sql`WITH turn AS (
          UPDATE turns SET ${stepOf(call)},
                 model_calls = model_calls + 1,
                 prompt_tokens = prompt_tokens + ${promptTokens}::bigint,
                 output_tokens = output_tokens + ${outputTokens}::bigint,
                 cache_read_tokens = cache_read_tokens + ${cacheReadTokens}::bigint,
                 cache_write_tokens = cache_write_tokens + ${cacheWriteTokens}::bigint,
                 reasoning_tokens = reasoning_tokens + ${reasoningTokens}::bigint,
                 microdollars = microdollars + ${microdollars}::bigint,
                 last_usage = coalesce(${raw === undefined ? null : JSON.stringify(cleanDeep(raw))}::jsonb, last_usage)
          WHERE session_id = ${call.sessionId} AND id = ${call.turnId}
          RETURNING first_mailbox_seq, (model_calls = 1)::int AS begun),
        ${tellStep(call)}
        INSERT INTO usage_days AS day (session_id, day, person_id, model, turns, calls, unpriced_calls, prompt_tokens,
                                       cache_read_tokens, cache_write_tokens, output_tokens, microdollars)
        SELECT ${call.sessionId}, (now() AT TIME ZONE 'UTC')::date, coalesce(i.person_id, 0), coalesce(${answeredBy?.label ?? call.session?.model ?? null}::text, s.model, ''), turn.begun, 1,
               ${costDollars === undefined ? 1 : 0}::int, ${promptTokens}::bigint, ${cacheReadTokens}::bigint,
               ${cacheWriteTokens}::bigint, ${outputTokens}::bigint, ${microdollars}::bigint
        FROM turn JOIN sessions s ON s.id = ${call.sessionId}
        LEFT JOIN mailbox m ON m.session_id = s.id AND m.seq = turn.first_mailbox_seq
        LEFT JOIN chats c ON c.id = m.chat_row_id
        LEFT JOIN identities i ON i.platform = coalesce(c.platform, s.platform) AND i.user_id = m.sender_id
        ON CONFLICT (session_id, day, person_id, model) DO UPDATE SET
               turns = day.turns + excluded.turns,
               calls = day.calls + 1,
               unpriced_calls = day.unpriced_calls + excluded.unpriced_calls,
               prompt_tokens = day.prompt_tokens + excluded.prompt_tokens,
               cache_read_tokens = day.cache_read_tokens + excluded.cache_read_tokens,
               cache_write_tokens = day.cache_write_tokens + excluded.cache_write_tokens,
               output_tokens = day.output_tokens + excluded.output_tokens,
               microdollars = day.microdollars + excluded.microdollars`,
    'add_usage',
  );
}

/** Move the turn's last step, and end it where `ended` says so. */
export async function moveStep(tx: Transaction, moved: TurnStep): Promise<void> {
  await run(
    tx,
    sql`WITH turn AS (
          UPDATE turns SET ${stepOf(moved)} WHERE session_id = ${moved.sessionId} AND id = ${moved.turnId} RETURNING 1),
        ${tellStep(moved)}
        SELECT 1 FROM turn`,
    'move_step',
  );
}

function stepOf({ step, ended }: TurnStep): SQL {
  const state = ended ?? null;
  return sql`last_step = greatest(last_step, ${step}::int), open_round = NULL, state = coalesce(${state}::text, state),
             finished_at = CASE WHEN ${state}::text IS NULL THEN finished_at ELSE now() END`;
}

/** A round of tools is a step; the end of a turn is told by itself. */
function tellStep({ sessionId, turnId, step, ended }: TurnStep): SQL {
  return tellWanted(sql`SELECT ${sessionId}::text, 'agent:step', jsonb_build_object('type', 'agent:step',
          'sessionId', ${sessionId}::text, 'turnId', ${turnId}::text, 'step', ${step}::int)
          FROM turn WHERE ${ended ?? null}::text IS NULL`);
}
