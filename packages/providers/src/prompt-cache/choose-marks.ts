/** One message as the policy sees it: only where marks may sit. */
export interface CacheMessage {
  /** For each block in order: may it carry a mark? Empty texts and thinking may not. */
  carriers: readonly boolean[];
  /** An assistant message whose tool calls are not answered by the next message is never an end point. */
  openCalls: boolean;
}

/** Where marks go; at most four in all. */
export interface CacheMarks {
  /** Index of the marked system block; null: none can carry one. */
  system: number | null;
  /** In the order of the messages. */
  messages: readonly { message: number; block: number }[];
}

const markedMessages = 3;
/** A provider looks back at most this many blocks from a mark for an earlier entry. */
const lookbackBlocks = 20;
/** A mark that must move inside a long message goes this far before its end. */
const movedBlocks = 15;

/**
 * The layout `system_and_3`: the first block of the system prompt and the ends of the last three non-system messages,
 * so that consecutive requests of a tool loop share an end point. A message that cannot carry a mark uses up no slot.
 * When more than 20 blocks lie between the last two marks the older one moves between them; a fifth is never added.
 *
 * system    for each system block: may it carry a mark? The note that follows the first block is never marked.
 */
export function chooseMarks(system: readonly boolean[], messages: readonly CacheMessage[]): CacheMarks {
  const first = system.indexOf(true);
  const ends: { message: number; block: number }[] = [];
  for (let index = messages.length - 1; index >= 0 && ends.length < markedMessages; index--) {
    const message = messages[index];
    const block = message && !message.openCalls ? message.carriers.lastIndexOf(true) : -1;
    if (block >= 0) ends.unshift({ message: index, block });
  }
  return { system: first < 0 ? null : first, messages: rollLongGap(messages, ends) };
}

function rollLongGap(
  messages: readonly CacheMessage[],
  ends: { message: number; block: number }[],
): CacheMarks['messages'] {
  const last = ends.at(-1);
  const before = ends.at(-2);
  if (!last || !before || blocksBetween(messages, before, last) <= lookbackBlocks) return ends;
  const carriers = messages[last.message]?.carriers ?? [];
  const moved = carriers.lastIndexOf(true, last.block - movedBlocks);
  if (last.block < movedBlocks || moved < 0) return ends;
  return [...ends.slice(0, -2), { message: last.message, block: moved }, last];
}

function blocksBetween(
  messages: readonly CacheMessage[],
  from: { message: number; block: number },
  to: { message: number; block: number },
): number {
  let blocks = (messages[from.message]?.carriers.length ?? 0) - from.block - 1;
  for (let index = from.message + 1; index < to.message; index++)
    blocks += messages[index]?.carriers.length ?? 0;
  return blocks + to.block + 1;
}
