import { isJson, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { typeOf } from './item-rules.ts';
import type { Sealed } from './item-rules.ts';
import { problem } from './problems.ts';
import type { Problems } from './problems.ts';

/**
 * Each call is answered by one output somewhere after it, no output without its call, and reasoning stands directly
 * before the item that it led to.
 */
export function* orderProblems(items: readonly unknown[], sealed: Sealed): Problems {
  const open = new Set<string>();
  const known = new Set<string>();
  for (const [at, item] of items.entries()) {
    if (!isJson(item)) continue;
    const id = textOf(item['call_id']);
    switch (typeOf(item)) {
      case 'function_call':
        if (known.has(id)) yield problem(`Duplicate item found with call_id ${id}.`, 'input');
        open.add(id);
        known.add(id);
        break;
      case 'function_call_output':
        if (!open.delete(id))
          yield problem(
            known.has(id)
              ? `Duplicate item found with call_id ${id}.`
              : `No tool call found for function call output with call_id ${id}.`,
            'input',
          );
        break;
      case 'reasoning':
        if (!isFollowed(item, items.slice(at + 1).find(isOther), sealed)) yield loose(item);
        break;
      default:
        break;
    }
  }
  for (const id of open) yield problem(`No tool output found for function call ${id}.`, 'input');
}

function isOther(item: unknown): boolean {
  return !isJson(item) || typeOf(item) !== 'reasoning';
}

/** The seal says what came after: a call by its id, or a message. */
function isFollowed(reasoning: Json, next: unknown, { seal, account }: Sealed): boolean {
  const [, led] = (seal.open('reasoning', account, reasoning['encrypted_content']) ?? '').split('|');
  if (!isJson(next)) return false;
  if (typeOf(next) === 'function_call') return next['call_id'] === led;
  return typeOf(next) === 'message' && next['role'] === 'assistant' && led === 'message';
}

function loose(item: Json): ReturnType<typeof problem> {
  const id = textOf(item['id']);
  return problem(
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    'input',
  );
}
