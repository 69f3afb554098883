import type { Config, Logger, ModelInfo, OperatorStore } from '@palimpsest/core';
import { resolveTrigger } from '@palimpsest/engines';

interface AutoraiseNoticeParts {
  config: Config;
  logger: Logger;
  operators: Pick<OperatorStore, 'tellOnce'>;
}

const command = 'palimpsest config set compression.codex_gpt55_autoraise false';

/**
 * Lines for the first screen where the Codex route condenses later than the global threshold says, once an installation
 * and again only when the raised share is another; none else. The log has it too. People in chats are not told.
 */
export async function autoraiseNotice(parts: AutoraiseNoticeParts, model: ModelInfo): Promise<string[]> {
  const { config, logger, operators } = parts;
  const {
    enabled,
    codex_gpt55_autoraise: codexAutoraise,
    codex_gpt55_autoraise_notice: isWanted,
  } = config.compression;
  const resolve = (isRaised: boolean) =>
    resolveTrigger({
      windowTokens: model.windowTokens,
      config: config.compression,
      model,
      maxTokensFromConfig: config.model.max_tokens,
      codexAutoraise: isRaised,
    });
  const { source, threshold, triggerTokens } = resolve(codexAutoraise);
  if (!enabled || !isWanted || source !== 'codex_autoraise') return [];
  if (!(await operators.tellOnce('codex_autoraise', String(threshold)))) return [];
  const plain = resolve(false);
  logger.info(
    { model: model.label, triggerTokens, withoutRaiseTokens: plain.triggerTokens, command },
    'the compaction trigger of this model on the Codex route is raised',
  );
  return [
    `${model.name} on Codex is condensed at ${Math.round(threshold * 100)} % of its window: ${tokens(triggerTokens)} tokens instead of ${tokens(plain.triggerTokens)}.`,
    `${command} takes that back. This is said once.`,
  ];
}

function tokens(count: number): string {
  return count.toLocaleString('en');
}
