import { isJson, objectsOf, textOf } from '../json.ts';
import { problem } from './problems.ts';
import type { Problems } from './problems.ts';

/**
 * Each tool call is answered by exactly one tool message directly after its assistant message; no tool message
 * without its call.
 */
export function* pairingProblems(messages: readonly unknown[]): Problems {
  let calls: readonly string[] = [];
  let open = new Set<string>();
  let callsAt = 0;
  for (const [at, message] of messages.entries()) {
    if (!isJson(message)) continue;
    if (message['role'] === 'tool') {
      yield* resultProblems(textOf(message['tool_call_id']), at, { calls, open });
      open.delete(textOf(message['tool_call_id']));
      continue;
    }
    if (open.size > 0) yield unanswered(open, callsAt);
    calls = objectsOf(message['tool_calls']).map((call) => textOf(call['id']));
    open = new Set(calls);
    callsAt = at;
    if (open.size < calls.length) {
      yield problem(
        "Duplicate value for 'tool_call_id' in message with 'tool_calls'.",
        `messages.[${at}].tool_calls`,
      );
    }
  }
  if (open.size > 0) yield unanswered(open, callsAt);
}

function* resultProblems(
  id: string,
  at: number,
  round: { calls: readonly string[]; open: ReadonlySet<string> },
): Problems {
  if (round.calls.length === 0) {
    const message =
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    yield problem(message, `messages.[${at}].role`);
  } else if (!round.calls.includes(id)) {
    const message = `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
    yield problem(message, `messages.[${at}].tool_call_id`);
  } else if (!round.open.has(id)) {
    const message = `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}' in messages.`;
    yield problem(message, `messages.[${at}].tool_call_id`);
  }
}

function unanswered(open: ReadonlySet<string>, at: number): ReturnType<typeof problem> {
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
  return problem(message, `messages.[${at}].role`);
}
