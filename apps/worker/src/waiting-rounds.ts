/** Rounds in a row in which a session waits without a holder before the job that stands for it is taken for dead. */
const roundsOfPatience = 3;

/** In how many sweeps in a row each session was found waiting. */
export class WaitingRounds {
  #rounds = new Map<string, number>();

  /** The sessions of this sweep whose wake-ups led nowhere; patience with them begins anew. */
  note(waiting: readonly string[]): readonly string[] {
    const rounds = new Map(waiting.map((id) => [id, (this.#rounds.get(id) ?? 0) + 1]));
    const given = waiting.filter((id) => (rounds.get(id) ?? 0) > roundsOfPatience);
    for (const id of given) rounds.delete(id);
    this.#rounds = rounds;
    return given;
  }
}
