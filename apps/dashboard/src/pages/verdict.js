/** What comes next for a session's context, in one sentence. Pure. */
import { number, timeOf } from './format.js';
import { reasonWords } from './words.js';

export function toneOf({ decision, promptTokens, triggerTokens, hardLimitTokens }) {
  if (promptTokens >= hardLimitTokens) return 'bad';
  if (decision.kind === 'now' || promptTokens >= triggerTokens) return 'warn';
  return 'good';
}

/** What the engine would do with the next message, and why not yet. */
export function verdict(context) {
  const { decision, engine, promptTokens, triggerTokens, hardLimitTokens, prepareTokens } = context;
  if (decision.kind === 'now')
    return decision.reason === 'hard_limit'
      ? 'At the hard limit: room is made before the next answer.'
      : 'Past the trigger: it is compacted with the next message.';
  const toGo = `${number(Math.max(0, triggerTokens - promptTokens))} tokens to go`;
  if (decision.kind === 'prepare') return `A compaction is made ready in the background; ${toGo}.`;
  if (engine === 'dcp') return dcpVerdict({ promptTokens, triggerTokens, hardLimitTokens, prepareTokens });
  if (promptTokens < triggerTokens) return `Quiet: ${toGo} until it is compacted.`;
  return `Past the trigger, but it waits: ${reasonWords(context.restReason ?? decision.reason)}${restWords(context)}.`;
}

function dcpVerdict({ promptTokens, triggerTokens, hardLimitTokens, prepareTokens }) {
  const last = `the service steps in at ${number(hardLimitTokens)}`;
  if (promptTokens < prepareTokens)
    return `Quiet: ${number(prepareTokens - promptTokens)} tokens to go until the model may be reminded to condense.`;
  if (promptTokens < triggerTokens)
    return `The model is reminded now and then to condense; firmly from ${number(triggerTokens)} tokens on, and ${last}.`;
  return `Past the trigger: the model is reminded to condense; ${last}.`;
}

function restWords({ restUntil }) {
  return restUntil === null ? '' : `, until ${timeOf(restUntil)}`;
}
