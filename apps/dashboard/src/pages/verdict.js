/** What comes next for a session's context, in one sentence. Pure. */
import { number, timeOf } from './format.js';
import { plural, reasonWords } from './words.js';

export function toneOf({ decision, promptTokens, triggerTokens, hardLimitTokens }) {
  if (promptTokens >= hardLimitTokens) return 'bad';
  if (decision.kind === 'now' || promptTokens >= triggerTokens) return 'warn';
  return 'good';
}

/** What the engine would do with the next message, and why not yet. */
export function verdict(context) {
  const { decision, engine, promptTokens, triggerTokens } = context;
  if (decision.kind === 'now')
    return decision.reason === 'hard_limit'
      ? 'At the hard limit: room is made before the next answer.'
      : 'Past the trigger: it is compacted with the next message.';
  if (decision.reason === 'none') return 'Switched off in the config: nothing is compacted by itself.';
  const toGo = `${number(Math.max(0, triggerTokens - promptTokens))} tokens to go`;
  if (decision.kind === 'prepare')
    return `A compaction is made ready in the background; ${toGo}.${earlyWords(context)}`;
  if (engine === 'dcp') return dcpVerdict(context);
  if (promptTokens < triggerTokens) return `Quiet: ${toGo} until it is compacted.${earlyWords(context)}`;
  if (decision.reason === 'below_threshold') return unheardVerdict(context);
  return `Past the trigger, but it waits: ${reasonWords(context.restReason ?? decision.reason)}${restWords(context)}.`;
}

/** The small passes of the lossless engine: how much is still missing until the next one, or why it is not done yet. */
function earlyWords({ earlyWork }) {
  if (!earlyWork) return '';
  const { messages, tokens, neededTokens, state } = earlyWork;
  if (state === 'gathering')
    return ` A small pass begins when ${number(neededTokens - tokens)} more tokens lie outside the fresh tail: now ${number(tokens)} of ${number(neededTokens)}, in ${plural(messages, 'message')}.`;
  const pass = ` A small pass over ${number(tokens)} tokens in ${plural(messages, 'message')}`;
  return state === 'held' ? `${pass} waits: the prompt cache is warm.` : `${pass} is due in the background.`;
}

/** The engine goes by more than the sum: past the trigger it may still see nothing to do. */
function unheardVerdict({ systemTokens, toolTokens, triggerTokens, hardLimitTokens, promptSource }) {
  if (systemTokens + toolTokens > triggerTokens)
    return `System text and tools alone are past the trigger, so no compaction could help; room is made at ${number(hardLimitTokens)}.`;
  if (promptSource === 'estimate')
    return 'Past the trigger by estimate: it waits until the model has counted the prompt.';
  return 'At the trigger: it is compacted as soon as there is more.';
}

function dcpVerdict({ promptTokens, triggerTokens, hardLimitTokens, prepareTokens, isQuiet }) {
  const last = `the service steps in at ${number(hardLimitTokens)}`;
  if (isQuiet) return `The model is not reminded to condense: a person has to ask; ${last}.`;
  if (promptTokens < prepareTokens)
    return `Quiet: ${number(prepareTokens - promptTokens)} tokens to go until the model may be reminded to condense.`;
  if (promptTokens < triggerTokens)
    return `The model is reminded now and then to condense; firmly from ${number(triggerTokens)} tokens on, and ${last}.`;
  return `Past the trigger: the model is reminded to condense; ${last}.`;
}

function restWords({ restUntil }) {
  return restUntil === null ? '' : `, until ${timeOf(restUntil)}`;
}
