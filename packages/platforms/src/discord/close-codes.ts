/** Close codes after which Discord must not be asked again with the same settings. */
import { GatewayError } from '@palimpsest/core';

export const disallowedIntents = 4014;

const portal = 'https://discord.com/developers/applications';

const whatToDo: ReadonlyMap<number, string> = new Map([
  [
    4004,
    'it refused the token; put the bot token of the developer portal (page "Bot", "Reset Token") into DISCORD_BOT_TOKEN',
  ],
  [4010, 'it refused the shard number; this is a fault of the program, please report it'],
  [4011, 'the bot is in too many servers for one connection (2,500); take it out of some'],
  [4012, 'it no longer speaks this version of its gateway; update the program'],
  [4013, 'it refused the intents; this is a fault of the program, please report it'],
  [disallowedIntents, `it refused the intents; ${portalSwitch(null)}`],
]);

/** Where the switch for reading messages is. */
export function portalSwitch(applicationId: string | null): string {
  const page = applicationId === null ? portal : `${portal}/${applicationId}/bot`;
  return `switch on "Message Content Intent" under "Bot" → "Privileged Gateway Intents" at ${page}`;
}

/** The error that ends the listener for good, or null when reconnecting is right. */
export function fatalClose(code: number): GatewayError | null {
  const todo = whatToDo.get(code);
  if (todo === undefined) return null;
  // The code that is not restarted: a thousand identifies a day and Discord resets the token.
  return new GatewayError('platform_unauthorised', `Discord closed the connection with ${code}: ${todo}`);
}
