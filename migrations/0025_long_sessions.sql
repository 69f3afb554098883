-- By hand: what the planner takes a session for. Left alone it counts with the average one, which in a database of many short
-- chats has a row or two: it then reads all of a session where it should look for ten of its rows, and whoever talks most
-- pays for the whole of their past with every message. Now a session has 1,000 rows in every table (a fraction of
-- the rows, so that it stays so), which is the kind that plans matter for. It counts from a table's next ANALYZE on, its own included.
DO $$
DECLARE
	part record;
BEGIN
	FOR part IN
		SELECT c.oid::regclass AS name, c.reltuples > 0 AS is_known
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE i.indisprimary AND i.indnkeyatts > 1 AND a.attname = 'session_id' AND c.relkind IN ('r', 'p')
			AND c.relnamespace = current_schema()::regnamespace
		ORDER BY c.relname
	LOOP
		EXECUTE format('ALTER TABLE %s ALTER COLUMN session_id SET (n_distinct = -0.001, n_distinct_inherited = -0.001)', part.name);
		IF part.is_known THEN
			EXECUTE format('ANALYZE %s (session_id)', part.name);
		END IF;
	END LOOP;
END $$;--> statement-breakpoint
-- The same for a chat, where messages of it are looked for by the platform's ids.
ALTER TABLE mailbox ALTER COLUMN chat_row_id SET (n_distinct = -0.001);--> statement-breakpoint
ALTER TABLE outbox ALTER COLUMN chat_row_id SET (n_distinct = -0.001);
