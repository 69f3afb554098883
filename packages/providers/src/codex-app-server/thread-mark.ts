import type { Part, PromptMessage } from '@palimpsest/core';

import { isObject } from './json-peer.ts';

/** Kept with an answer: the thread and the turn that it came from. */
export interface ThreadMark {
  type: 'thread';
  threadId: string;
  turnId: string;
  /** Prompt tokens in the thread then; null: not told. */
  contextTokens: number | null;
}

/** The newest mark of a conversation, and which turns of its thread the conversation holds. */
export interface FoundMark extends ThreadMark {
  /** Index of the message that carries it. */
  at: number;
  /** Turns of the same thread that stand before it. */
  earlierTurns: ReadonlySet<string>;
}

/** Find where a conversation last went on in a thread; null: nowhere. */
export function findMark(messages: readonly PromptMessage[], issuer: string): FoundMark | null {
  const marks = messages.flatMap(({ parts }, at) =>
    parts.flatMap((part) => {
      const mark = readMark(part, issuer);
      return mark ? [{ ...mark, at }] : [];
    }),
  );
  const newest = marks.at(-1);
  if (!newest) return null;
  const sameThread = marks.filter(({ threadId }) => threadId === newest.threadId);
  return { ...newest, earlierTurns: new Set(sameThread.slice(0, -1).map(({ turnId }) => turnId)) };
}

function readMark(part: Part, issuer: string): ThreadMark | null {
  if (part.type !== 'sidecar' || part.issuer !== issuer || !isObject(part.item)) return null;
  const { type, threadId, turnId, contextTokens: tokens } = part.item;
  if (type !== 'thread' || typeof threadId !== 'string' || typeof turnId !== 'string') return null;
  return { type, threadId, turnId, contextTokens: typeof tokens === 'number' ? tokens : null };
}
