import { isJson, listOf, parseJson, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { itemsOf, typeOf } from './item-rules.ts';
import type { Sealed } from './item-rules.ts';
import { plainText } from './plain-text.ts';

/** What this server makes of a condensed conversation: the words of people and what that costs from now on. */
export interface Checkpoint {
  readonly tokens: number;
  readonly text: string;
}

const MOST_CHARACTERS = 4_000;
const SHARE = 20;
const LEAST_TOKENS = 50;

/** Is this prompt over the threshold its request names, or is a checkpoint asked for outright? */
export function isCondensed(body: Json, promptTokens: number): boolean {
  const last = itemsOf(body).at(-1);
  if (isJson(last) && last['type'] === 'compaction_trigger') return true;
  return listOf(body['context_management']).some(
    (entry) => isJson(entry) && promptTokens > Number(entry['compact_threshold']),
  );
}

/** The checkpoint of a prompt. */
export function condense(body: Json, promptTokens: number): Checkpoint {
  const people = itemsOf(body).flatMap((item) =>
    isJson(item) && typeOf(item) === 'message' && item['role'] === 'user' ? [plainText(item['content'])] : [],
  );
  return {
    tokens: Math.max(LEAST_TOKENS, Math.floor(promptTokens / SHARE)),
    text: people.join('\n').slice(-MOST_CHARACTERS),
  };
}

/** Read a checkpoint of ours; one that passed the rules is always readable. */
export function openCheckpoint(item: Json, { seal, account }: Sealed): Checkpoint {
  const parsed = parseJson(seal.open('compaction', account, item['encrypted_content']) ?? '');
  if (!isJson(parsed)) return { tokens: 0, text: '' };
  return { tokens: Number(parsed['tokens']), text: textOf(parsed['text']) };
}
