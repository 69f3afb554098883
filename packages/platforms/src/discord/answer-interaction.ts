/** The answer to a slash command takes the place of the sign that waits. */
import type { Interaction } from '@palimpsest/core';
import { DiscordAPIError, type REST, Routes } from 'discord.js';

/** The sign is gone (10008), its token is unknown (10015, 10062) or over (50027). */
const gone: ReadonlySet<unknown> = new Set([10008, 10015, 10062, 50027]);

export interface InteractionAnswer {
  interaction: Interaction;
  body: Record<string, unknown>;
  nowMs: number;
  signal: AbortSignal;
}

/**
 * Edit the deferred answer; a repeat is the same edit. Null when there is nothing to edit (any more): the answer is then
 * an ordinary message. Throws what the library throws for everything else.
 */
export async function answerInteraction(
  rest: REST,
  { interaction, body, nowMs, signal }: InteractionAnswer,
): Promise<string | null> {
  const { applicationId, token, expiresAtMs } = interaction;
  if (nowMs >= expiresAtMs) return null;
  try {
    const route = Routes.webhookMessage(applicationId, token, '@original');
    const message = (await rest.patch(route, { body, signal, auth: false })) as { id: string };
    return message.id;
  } catch (thrown) {
    if (thrown instanceof DiscordAPIError && gone.has(thrown.code)) return null;
    throw thrown;
  }
}
