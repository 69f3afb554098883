import { never, type Reason } from '@palimpsest/core';

/** What a person reads when /compress, or its preview, would change nothing: one sentence, no words of the ledger. */
export function unchangedText(reason: Reason): string {
  switch (reason) {
    case 'protected_only':
      return 'Nothing to condense yet: everything that stands in the conversation is recent, or a summary already.';
    case 'model_asked':
      return 'The model condenses this conversation itself; /compress asks it to with your next message.';
    case 'switched_off':
      return 'Condensing is switched off here; the operator can change that.';
    case 'too_few_messages':
    case 'below_threshold':
      return 'Nothing to condense yet: the conversation is still short.';
    case 'cooldown':
      return 'The last attempt did not work out, and a short rest after it is not over. Please try again in a few minutes.';
    case 'breaker_open':
      return 'Condensing did not help the last two times, so it rests for now. Please try again in a few minutes.';
    case 'too_often':
      return 'This conversation was condensed very often within the last hour. Please try again later.';
    case 'summary_timeout':
    case 'turn_hold':
      return 'The summary took too long to write. Please try again in a little while.';
    case 'summary_rate_limited':
    case 'summary_provider_5xx':
      return 'The model that writes summaries is busy or could not be reached. Please try again in a little while.';
    case 'summary_auth':
    case 'summary_provider_4xx':
    case 'spend_limit':
      return 'The model that writes summaries cannot be used as it is set up. The operator can see why in the log.';
    case 'summary_context_too_small':
      return 'The model that writes summaries is too small to read the older part of this conversation.';
    case 'summary_empty':
    case 'summary_too_long':
      return 'The model wrote no summary that could be used. Please try again.';
    case 'validation_failed':
    case 'lease_lost':
    case 'pending_input':
    case 'hot_cache':
      return 'The conversation changed in the meantime. Please try again.';
    case 'user_cancelled':
      return 'Condensing was stopped.';
    case 'db_error':
    case 'no_seq':
    case 'none':
      return 'Condensing did not work out this time. The operator can see why in the log.';
    default:
      return never(reason);
  }
}
