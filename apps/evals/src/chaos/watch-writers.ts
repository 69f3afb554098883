import { queryDatabase } from '@palimpsest/testkit';

/**
 * From now on the database notes who wrote which transcript row under which epoch, from outside the service: the
 * connection names its program. Two names under one epoch of a session are two workers that wrote it at once.
 */
export async function watchWriters(databaseUrl: string): Promise<void> {
  await queryDatabase(
    databaseUrl,
    `CREATE TABLE chaos_writes (
       id bigint GENERATED ALWAYS AS IDENTITY, session_id text, message_id bigint, epoch bigint, writer text)`,
  );
  await queryDatabase(
    databaseUrl,
    `CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO chaos_writes (session_id, message_id, epoch, writer)
       SELECT NEW.session_id, NEW.id, s.epoch, current_setting('application_name') FROM sessions s WHERE s.id = NEW.session_id;
       RETURN NULL;
     END $$`,
  );
  await queryDatabase(
    databaseUrl,
    'CREATE TRIGGER chaos_note AFTER INSERT OR UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION chaos_note()',
  );
}
