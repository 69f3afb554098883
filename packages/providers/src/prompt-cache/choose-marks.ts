/**
 * Where the four marks go.
 *
 *   system_and_3   system | 3rd last | 2nd last | last message
 *   split_system   static prefix | rest of the system prompt | 2nd last | last message
 *   native_tools   last tool | static prefix | ends of the last two transactions
 *   automatic      static prefix | and the service marks the last block itself
 */
export type CacheLayout = 'system_and_3' | 'split_system' | 'native_tools' | 'automatic';

/** One message as the policy sees it: only where marks may sit. */
export interface CacheMessage {
  /** For each block in order: may it carry a mark? Empty texts and thinking may not. */
  carriers: readonly boolean[];
  /** An assistant message whose tool calls are not answered by the next message is never an end point. */
  openCalls: boolean;
  /** It ends a transaction: a run of tool results, or an answer without calls. */
  endsTransaction?: boolean;
}

/** A prompt as the policy sees it, messages as the wire merges them. */
export interface CachePrompt {
  tools: number;
  /** For each system block: may it carry a mark? The first is the static prefix; a note may follow. */
  system: readonly boolean[];
  messages: readonly CacheMessage[];
  /** Tools and static prefix are too small to be cached: their mark gives way where another one is needed. */
  smallPrefix?: boolean;
}

export interface MessageMark {
  message: number;
  block: number;
}

/** Where marks go; at most four in all. */
export interface CacheMarks {
  /** Index of the marked tool; null: none. */
  tool: number | null;
  /** Indexes of the marked system blocks. */
  system: readonly number[];
  /** In the order of the messages. */
  messages: readonly MessageMark[];
  /** The service is asked to mark the last block itself; it takes one of the four. */
  automatic: boolean;
}

const mostMarks = 4;
const markedMessages = 3;
const markedTransactions = 2;
/** A provider looks back at most this many blocks from a mark for an earlier entry. */
const lookbackBlocks = 20;
/** A mark inside a long message stands this far before the next one. */
const movedBlocks = 15;

/**
 * Choose the places of the marks; a message that cannot carry one uses up no slot, it passes to an earlier message.
 * Under `system_and_3` consecutive requests of a tool loop share an end point. When more than 20 blocks lie between the
 * last two marks, free slots and then the older of the two go between them; a fifth mark is never made.
 */
export function chooseMarks(prompt: CachePrompt, layout: CacheLayout = 'system_and_3'): CacheMarks {
  const { messages } = prompt;
  const first = prompt.system.indexOf(true);
  const system = first < 0 ? [] : [first];
  switch (layout) {
    case 'automatic':
      return { tool: null, system, messages: [], automatic: true };
    case 'native_tools': {
      const ends = lastEnds(messages, markedTransactions, ({ endsTransaction }) => endsTransaction === true);
      return { tool: prompt.tools > 0 ? prompt.tools - 1 : null, system, messages: ends, automatic: false };
    }
    case 'split_system': {
      const rest = prompt.system.lastIndexOf(true);
      const split = rest > first ? [first, rest] : system;
      return withTail(prompt, split, mostMarks - Math.max(1, split.length));
    }
    case 'system_and_3':
      return withTail(prompt, system, markedMessages);
  }
}

function withTail(prompt: CachePrompt, system: readonly number[], most: number): CacheMarks {
  const ends = lastEnds(prompt.messages, most, () => true);
  const free = mostMarks - system.length - ends.length;
  const gaps = marksInGap(prompt.messages, ends);
  // The prefix's own mark does nothing there, so it may go where one does.
  const yielded = prompt.smallPrefix === true && gaps.length > free ? system.slice(1) : system;
  const places = gaps.slice(0, mostMarks - yielded.length - ends.length);
  const moved = gaps.length > 0 && places.length === 0;
  const messages = moved ? [...ends.slice(0, -2), gaps[0]!, ends.at(-1)!] : withGaps(ends, places);
  return { tool: null, system: yielded, messages, automatic: false };
}

function lastEnds(
  messages: readonly CacheMessage[],
  most: number,
  isEnd: (message: CacheMessage) => boolean,
): MessageMark[] {
  const ends: MessageMark[] = [];
  for (let index = messages.length - 1; index >= 0 && ends.length < most; index--) {
    const message = messages[index];
    const block = message && !message.openCalls && isEnd(message) ? message.carriers.lastIndexOf(true) : -1;
    if (block >= 0) ends.unshift({ message: index, block });
  }
  return ends;
}

/** Places inside the last message that bridge the way back to the mark before it, nearest to the end first. */
function marksInGap(messages: readonly CacheMessage[], ends: readonly MessageMark[]): MessageMark[] {
  const last = ends.at(-1);
  const before = ends.at(-2);
  const places: MessageMark[] = [];
  if (!last || !before) return places;
  const carriers = messages[last.message]?.carriers ?? [];
  let from = last;
  while (blocksBetween(messages, before, from) > lookbackBlocks && from.block >= movedBlocks) {
    const block = carriers.lastIndexOf(true, from.block - movedBlocks);
    if (block < 0) break;
    from = { message: last.message, block };
    places.push(from);
  }
  return places;
}

function withGaps(ends: readonly MessageMark[], places: readonly MessageMark[]): MessageMark[] {
  return [...ends.slice(0, -1), ...places.toReversed(), ...ends.slice(-1)];
}

function blocksBetween(messages: readonly CacheMessage[], from: MessageMark, to: MessageMark): number {
  if (from.message === to.message) return to.block - from.block;
  let blocks = (messages[from.message]?.carriers.length ?? 0) - from.block - 1;
  for (let index = from.message + 1; index < to.message; index++)
    blocks += messages[index]?.carriers.length ?? 0;
  return blocks + to.block + 1;
}
