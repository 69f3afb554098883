import { answerNudge } from './answer-nudge.ts';
import type { ModelScript, ScriptMessage, ScriptRequest } from './script.ts';

const nudge = /<dcp-reminder>[\s\S]*?<\/dcp-reminder>/g;

/** A model that compresses whenever a nudge names a range, and else does what `script` does to the request without all that. */
export function followNudges(script: ModelScript): ModelScript {
  let calls = 0;
  return (request) => {
    const call = answerNudge(request);
    if (call) return { toolCalls: [{ id: `compress_${++calls}`, ...call }] };
    return script(withoutCompress(request));
  };
}

/** A model that never compresses: it does not see what asks for it. */
export function ignoreNudges(script: ModelScript): ModelScript {
  return (request) => script(withoutCompress(request));
}

/** The request as it would be without nudges and without the rounds in which the model compressed. */
function withoutCompress(request: ScriptRequest): ScriptRequest {
  const ids = new Set(
    request.messages.flatMap((message) =>
      message.toolCalls.filter((call) => call.name === 'compress').map((call) => call.id),
    ),
  );
  const messages = request.messages
    .map((message): ScriptMessage => ({
      ...message,
      text: message.text.replace(nudge, ''),
      toolCalls: message.toolCalls.filter((call) => !ids.has(call.id)),
      toolResults: message.toolResults.filter((result) => !ids.has(result.id)),
    }))
    .filter(
      ({ text, toolCalls, toolResults }) =>
        text.trim() !== '' || toolCalls.length > 0 || toolResults.length > 0,
    );
  return { ...request, messages };
}
