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

const fullText = notice(
  'Too many messages wait here already, so this one was not taken, nor is what follows. Please send it again once I have answered.',
);

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

/** All that a stranger hears; nothing of what they wrote is kept. */
function pairingText(code: string): string {
  return [
    notice('I do not know you yet, so I did not read your message.'),
    `If the operator of this bot is to let you in, give them this code: ${code}`,
    '(for them: palimpsest access approve CODE). It works once, for an hour. Then write to me again.',
  ].join('\n');
}
