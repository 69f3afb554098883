/** What is needed to find out why a run broke a promise. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryDatabase } from '@palimpsest/testkit';
import type { RunRecords } from './records.ts';
import type { Stage } from './stage.ts';

const tables = [
  'chats',
  'sessions',
  'mailbox',
  'turns',
  'outbox',
  'outbox_parts',
  'messages',
  'chaos_writes',
];

/** Write the programs' logs, the counterparts' requests and the tables of a turn's way into a folder. */
export async function keepEvidence(stage: Stage, records: RunRecords, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const keep = (name: string, value: unknown): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value, null, 1));
  keep('records', records);
  keep('telegram', stage.telegram.requests);
  keep('discord', stage.discord.requests);
  keep('model', stage.model.requests);
  for (const table of tables)
    keep(table, await queryDatabase(stage.databaseUrl, `SELECT to_jsonb(t) AS row FROM ${table} t`));
  for (const { name, text } of stage.crew.logs()) writeFileSync(join(folder, `${name}.log`), text);
}
