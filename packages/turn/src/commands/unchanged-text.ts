import { never, type Reason } from '@palimpsest/core';
import type { Say } from '../words/say.ts';

/** What a person reads when /compress, or its preview, would change nothing: one sentence, no words of the ledger. */
export function unchangedText(reason: Reason, say: Say): string {
  switch (reason) {
    case 'protected_only':
      return say('unchangedRecent');
    case 'model_asked':
      return say('unchangedModelAsked');
    case 'switched_off':
      return say('unchangedOff');
    case 'too_few_messages':
    case 'below_threshold':
      return say('unchangedShort');
    case 'cooldown':
      return say('unchangedResting');
    case 'breaker_open':
      return say('unchangedBreaker');
    case 'too_often':
      return say('unchangedTooOften');
    case 'summary_timeout':
    case 'turn_hold':
      return say('unchangedTimeout');
    case 'summary_rate_limited':
    case 'summary_provider_5xx':
      return say('unchangedBusy');
    case 'summary_auth':
    case 'summary_provider_4xx':
    case 'spend_limit':
      return say('unchangedSetup');
    case 'summary_context_too_small':
      return say('unchangedSmall');
    case 'summary_empty':
    case 'summary_too_long':
      return say('unchangedUnusable');
    case 'validation_failed':
    case 'lease_lost':
    case 'hot_cache':
      return say('unchangedMoved');
    case 'user_cancelled':
      return say('unchangedStopped');
    case 'no_seq':
    case 'db_error':
    case 'none':
      return say('unchangedFailed');
    default:
      return never(reason);
  }
}
