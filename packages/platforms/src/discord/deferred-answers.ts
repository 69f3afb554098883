/** Slash commands wait three seconds for a first answer: it is given before the database is asked. */
import type { Interaction, Logger, StoreUpdates } from '@palimpsest/core';
import { InteractionResponseType, type REST, Routes } from 'discord.js';

/** Discord waits no longer; whatever comes later is refused. */
const firstAnswerMs = 3_000;

export class DeferredAnswers {
  readonly #rest: () => REST;
  readonly #logger: Logger;

  constructor(rest: () => REST, logger: Logger) {
    this.#rest = rest;
    this.#logger = logger;
  }

  /** Show a sign that waits for the answer; over within three seconds. Never throws: an answer that finds no sign is an ordinary message. */
  async defer({ id, token }: Interaction): Promise<void> {
    try {
      await this.#rest().post(Routes.interactionCallback(id, token), {
        body: { type: InteractionResponseType.DeferredChannelMessageWithSource },
        auth: false,
        signal: AbortSignal.timeout(firstAnswerMs),
      });
    } catch (thrown) {
      this.#report(thrown, 'a slash command was not acknowledged in time; its answer is an ordinary message');
    }
  }

  /** `store`, and no sign waits for an answer that nobody will give: that of a sender who is not served. */
  removingRefused(store: StoreUpdates): StoreUpdates {
    return async (updates) => {
      const stored = await store(updates);
      for (const [index, { content }] of updates.entries()) {
        const isTaken = ['stored', 'duplicate'].includes(stored[index]?.result ?? '');
        if (content.kind === 'message' && content.interaction && !isTaken)
          void this.#remove(content.interaction);
      }
      return stored;
    };
  }

  async #remove({ applicationId, token }: Interaction): Promise<void> {
    try {
      await this.#rest().delete(Routes.webhookMessage(applicationId, token, '@original'), { auth: false });
    } catch (thrown) {
      this.#report(thrown, 'the sign of a slash command that is not served could not be removed');
    }
  }

  /** Without the library's message: it carries the token. */
  #report(thrown: unknown, what: string): void {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    this.#logger.warn({ name: thrown instanceof Error ? thrown.name : typeof thrown, code }, what);
  }
}
