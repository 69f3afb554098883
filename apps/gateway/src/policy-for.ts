import {
  accessListsOf,
  groupRulesOf,
  notice,
  offersPairing,
  type AccountRef,
  type Config,
  type IntakePolicy,
  type MediaKind,
} from '@palimpsest/core';
import { sayIn } from '@palimpsest/turn';

/** How intake judges and stores for one account, as the config has it. */
export function policyFor(config: Config, account: AccountRef): IntakePolicy {
  const { platform } = account;
  return {
    account,
    engine: config.context.engine,
    waitForMoreMs: config.worker.wait_for_more_ms,
    bound: { messages: config.worker.max_waiting_messages, text: fullText },
    lists: accessListsOf(config, platform),
    ...groupRulesOf(config, platform),
    media: fetchedKinds(config),
    sessionsPerUser: { groups: config.group_sessions_per_user, threads: config.thread_sessions_per_user },
    ...(offersPairing(config, platform) && { pairingText }),
  };
}

/** Recordings are of use only to a service that writes them down. */
function fetchedKinds({ media }: Config): readonly MediaKind[] {
  return media.transcription.model === null ? ['photo', 'document'] : ['photo', 'document', 'voice', 'audio'];
}

/** In the language of who wrote, where that is known. */
function fullText(language?: string): string {
  return notice(sayIn({ language })('mailboxFull'));
}

/** All that a stranger hears; nothing of what they wrote is kept. */
function pairingText(code: string, language?: string): string {
  const say = sayIn({ language });
  return [notice(say('pairingUnknown')), say('pairingCode', { code }), say('pairingHow')].join('\n');
}
