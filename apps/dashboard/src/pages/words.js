/** What the service calls a thing, in words for people. */

const reasons = {
  below_threshold: 'below the trigger',
  cooldown: 'resting after a summary that failed',
  breaker_open: 'the last compactions did not help',
  too_often: 'compacted too often in this hour',
  too_few_messages: 'too few messages to take out',
  protected_only: 'only protected messages are left',
  model_asked: 'the model is asked with its next step',
  switched_off: 'switched off in the config',
  lease_lost: 'another worker took the session over',
  hot_cache: 'the prompt cache is warm, it can wait',
  summary_timeout: 'the summary took too long',
  summary_rate_limited: 'the summary model is rate limited',
  summary_auth: 'the summary model refused the key',
  summary_provider_4xx: 'the summary model refused the request',
  summary_provider_5xx: 'the summary model failed',
  summary_context_too_small: 'too long for the summary model',
  summary_empty: 'the summary came back empty',
  summary_too_long: 'the summary came back too long',
  spend_limit: 'summary calls of this hour are used up',
  validation_failed: 'the plan did not fit what is stored',
  user_cancelled: 'a person stopped it',
  db_error: 'the database refused it',
  turn_hold: 'a message had to wait for it',
  no_seq: 'no room between two rows',
};

export function reasonWords(reason) {
  return reasons[reason] ?? reason.replaceAll('_', ' ');
}

const outcomes = {
  deterministic: 'done without a model',
  fallback_trim: 'only trimmed',
  ineffective: 'did not help',
  noop: 'nothing to do',
  aborted: 'called off',
  skipped: 'declined',
};

export function outcomeWords(outcome) {
  return outcome === null ? 'running' : (outcomes[outcome] ?? outcome);
}

const escalations = {
  normal: null,
  aggressive: { words: 'second, shorter try', tone: 'warn' },
  fallback: { words: 'written without a model', tone: 'warn' },
  deterministic: { words: 'written without a model', tone: 'warn' },
  capped: { words: 'cut to length', tone: 'warn' },
};

/** null: nothing that needs saying. */
export function escalationWords(escalation) {
  return escalations[escalation] ?? null;
}

export const activities = {
  active: { words: 'shown to the model', tone: 'good' },
  consumed: { words: 'inside a newer block', tone: '' },
  orphaned: { words: 'its rows are gone', tone: 'warn' },
  user_off: { words: 'turned off by a person', tone: 'warn' },
  tainted: { words: 'a message under it changed', tone: 'bad' },
  reset: { words: 'from before a rewrite', tone: '' },
};

export const authors = {
  model: 'the model',
  host_hygiene: 'the service, early',
  host_emergency: 'the service, in an emergency',
};

export const markReasons = {
  duplicate: 'same call made again later',
  error_input: 'input of an old failed call',
  sweep: 'swept by a person',
  oversized: 'too large in an emergency',
};

const checks = {
  message_not_covered: 'a message cannot be reached from the context',
  message_covered_twice: 'a message is reached twice',
  item_out_of_order: 'a summary stands out of order',
  leaf_shape: 'a leaf has no messages',
  condensed_shape: 'a condensed node does not fit its sources',
  edge_order: 'sources are numbered wrongly',
  time_range: 'a time range does not fit what is under it',
  counts: 'token counts do not add up',
  file_ids: 'files of the sources are missing',
  orphan_debt: 'a debt is left that nobody works on',
  fallback_summary: 'a summary was written without a model',
  capped_summary: 'a summary was cut to length',
  newest_not_handled: 'the newest message was not handled',
};

export function checkWords(check) {
  return checks[check] ?? check.replaceAll('_', ' ');
}

export function plural(count, one, many = `${one}s`) {
  return `${new Intl.NumberFormat().format(count)} ${count === 1 ? one : many}`;
}

/** `$0.42`, three digits below a dollar. */
export function dollars(value) {
  if (value > 0 && value < 0.001) return 'under $0.001';
  return `$${value.toFixed(value < 1 ? 3 : 2)}`;
}

/** One moment, or from one to the other; the day only once where it is the same. */
export function timeRange(from, to) {
  const [first, last] = [new Date(from), new Date(to)];
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  if (Math.abs(last - first) < 60_000) return day.format(first);
  return day.formatRange(first, last);
}
