/** The database goes away while the service runs, and comes back: nothing is confirmed that is not stored, nothing is doubled. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, test } from 'vitest';
import { answerText, gate } from '../support/chaos/scripts.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDoor } from '../support/open-door.ts';
import { botApiSchema, openServiceWorld, until, webhookSecret } from '../support/service-world.ts';

const timeout = 120_000;

describe.skipIf(botApiSchema.missing)('the database is away in mid-run', { timeout }, () => {
  test('polling keeps the offset, the local page is told to come again, the running turn is resumed, readyz says no and then yes', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using door = await openDoor(database.url);
    const first = gate();
    await using world = await openServiceWorld({
      databaseUrl: door.url,
      script: async (request) => {
        if (request.index === 0) await first.pass();
        return { text: answerText(request) };
      },
    });
    await world.start();
    world.telegram.userSends({ chatId: 1, text: 'm1' });
    await first.reached;
    await until(async () => expect((await world.ask('/readyz')).status).toBe(200));

    door.cut();
    world.telegram.userSends({ chatId: 1, text: 'm2' });
    const refused = await world.post('note-1', 'm7 from the page');
    const unready = await world.ask('/readyz');
    first.open();
    await until(() =>
      expect(logOf(world.folder)).toContain('updates could not be stored; they stay unconfirmed'),
    );
    const unconfirmed = world.telegram.pendingUpdates().length;
    door.heal();
    const again = await until(async () => {
      const answer = await world.post('note-1', 'm7 from the page');
      expect(answer.status).toBe(202);
      return answer;
    });
    const twice = await world.post('note-1', 'm7 from the page');

    expect(refused).toEqual({
      status: 503,
      body: {
        error: {
          code: 'database_unavailable',
          message: expect.stringMatching(
            /^the database cannot be reached \((ECONNRESET|08006)\); check that Postgres runs and that DATABASE_URL names it$/,
          ) as string,
        },
      },
    });
    expect(unready.status).toBe(503);
    expect(unready.body.checks?.find((check) => check.name === 'database')?.ok).toBe(false);
    expect(unconfirmed).toBe(1);
    expect([again.body.result, twice.body.result]).toEqual(['stored', 'duplicate']);
    await until(() => expect(world.heard(1)).toEqual(['answer to m1', 'answer to m2']));
    await until(async () => expect(await world.lines()).toEqual(['m7 from the page', 'answer to m7']));
    await until(async () => expect((await world.ask('/readyz')).status).toBe(200));
    expect(world.telegram.violations).toEqual([]);
    expect(world.model.violations).toEqual([]);
  });

  test('the webhook answers 503, Telegram comes again, and the message is answered once', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using door = await openDoor(database.url);
    await using world = await openServiceWorld({
      databaseUrl: door.url,
      mode: 'webhook',
      script: (request) => ({ text: answerText(request) }),
    });
    await world.start();
    world.telegram.userSends({ chatId: 1, text: 'm1' });
    await until(() => expect(world.heard(1)).toEqual(['answer to m1']));
    // An answer whose receipt is not stored yet would rightly come again, with a mark.
    await until(async () => expect(await receipts(database.url)).toBe(1));

    door.cut();
    world.telegram.userSends({ chatId: 1, text: 'm2' });
    const answer = await world.ask('/telegram/webhook', {
      method: 'POST',
      headers: { 'X-Telegram-Bot-Api-Secret-Token': webhookSecret },
      body: JSON.stringify({
        update_id: 77,
        message: { message_id: 5, date: 1, chat: { id: 2, type: 'private' } },
      }),
    });
    await until(() => expect(logOf(world.folder)).toContain('Telegram is asked to send it again'));
    door.heal();

    expect(answer.status).toBe(503);
    await until(() => expect(world.heard(1)).toEqual(['answer to m1', 'answer to m2']));
    expect(world.telegram.pendingUpdates()).toEqual([]);
    expect(world.telegram.violations).toEqual([]);
  });
});

async function receipts(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ sent: number }>(
    "SELECT count(*)::int AS sent FROM outbox_parts WHERE state = 'sent'",
  );
  await client.end();
  return rows[0]!.sent;
}

function logOf(folder: string): string {
  return readFileSync(`${folder}/data/palimpsest.log`, 'utf8');
}
