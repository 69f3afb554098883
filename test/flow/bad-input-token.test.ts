/** Tokens that look right and are refused: the operator is told which and what to do, and everything else goes on. */
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { startFakeDiscord } from '@palimpsest/testkit';
import { createTestDatabase } from '../support/database.ts';
import { botApiSchema, openServiceWorld, until } from '../support/service-world.ts';
import { sharedPath } from '../support/shared.ts';

const discordSchema = sharedPath('discord/openapi.json');
const wrongTelegram = '123456:wrong_and_secret_token';
/** A real one of the same shape belongs to bot 1027672206240022830. */
const wrongDiscord = 'MTAyNzY3MjIwNjI0MDAyMjgzMA.wrong.token';

describe.skipIf(botApiSchema.missing)('a refused token', { timeout: 90_000 }, () => {
  test('is told on screen, in the log and by readyz, and the local chat goes on', async ({ expect }) => {
    await using database = await createTestDatabase();
    await using discord = await startFakeDiscord({ schemaPath: discordSchema.path });
    await using world = await openServiceWorld({
      databaseUrl: database.url,
      discordApi: discord.restApi,
      script: () => ({ text: 'still here' }),
      env: { TELEGRAM_BOT_TOKEN: wrongTelegram, DISCORD_BOT_TOKEN: wrongDiscord },
    });

    const program = await world.start();
    await until(() => expect(program.log().match(/^Error: listener ended/gm)).toHaveLength(2));
    await world.post('note-1', 'anybody there?');
    await until(async () => expect(await world.lines()).toEqual(['anybody there?', 'still here']));
    const ready = await world.ask('/readyz');

    const said = program.log().trimEnd().split('\n').sort();
    expect(said).toEqual([
      'Error: listener ended: Discord refused the token (401); put the bot token of the developer portal into DISCORD_BOT_TOKEN',
      'Error: listener ended: Telegram refuses the token of bot 123456: it is wrong or was revoked. Get a new one from @BotFather and put it into TELEGRAM_BOT_TOKEN.',
    ]);
    expect(ready.status).toBe(503);
    expect(ready.body.checks?.filter((check) => !check.ok)).toEqual([
      {
        name: 'account telegram-123456',
        ok: false,
        detail: 'no process listens to this account; the log of the gateway says why',
      },
      {
        name: 'account discord-1027672206240022830',
        ok: false,
        detail: 'no process listens to this account; the log of the gateway says why',
      },
    ]);
    const log = readFileSync(`${world.folder}/data/palimpsest.log`, 'utf8');
    for (const secret of ['wrong_and_secret', 'wrong.token']) {
      expect(log + program.output() + program.log()).not.toContain(secret);
    }
  });
});
