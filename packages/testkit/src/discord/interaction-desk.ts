/** Interactions: one first answer within 3 s, a token that lives 15 minutes. */
import type { FakeDiscordClock } from './options.ts';
import { refuse } from './rest-refusal.ts';

/** Interaction kinds: 2 command, 3 component, 4 autocomplete, 5 modal submit. */
export interface Interaction {
  id: string;
  token: string;
  kind: 2 | 3 | 4 | 5;
  channelId: string;
  createdMs: number;
  /** Type of the first answer. */
  answeredWith?: number;
  /** The message of the answer, once there is one. */
  messageId?: string;
}

const firstAnswerMs = 3000;
const tokenLifeMs = 15 * 60_000;

export class InteractionDesk {
  readonly #clock: FakeDiscordClock;
  readonly #byToken = new Map<string, Interaction>();

  constructor(clock: FakeDiscordClock) {
    this.#clock = clock;
  }

  open(interaction: Omit<Interaction, 'createdMs'>): Interaction {
    const opened = { ...interaction, createdMs: this.#clock.now() };
    this.#byToken.set(opened.token, opened);
    return opened;
  }

  /** Take the first answer; throws 10062 when unknown or late, 40060 when it is the second. */
  answer(id: string, token: string, type: number): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction === undefined || interaction.id !== id) throw refuse.unknownInteraction();
    if (interaction.answeredWith !== undefined) throw refuse.alreadyAcknowledged();
    if (this.#clock.now() - interaction.createdMs > firstAnswerMs) throw refuse.unknownInteraction();
    interaction.answeredWith = type;
    return interaction;
  }

  /** The interaction of a follow-up call; throws 10015 before the first answer, 50027 after 15 minutes. */
  followUp(token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction === undefined || interaction.answeredWith === undefined) throw refuse.unknownWebhook();
    if (this.#clock.now() - interaction.createdMs > tokenLifeMs) throw refuse.invalidWebhookToken();
    return interaction;
  }
}
