import { chatRule, type ChatTarget, type Config } from '@palimpsest/core';

/** Who the bot is in a chat: what the config says of its thread, of its chat, else of all. */
export function instructionsAt(config: Pick<Config, 'platforms' | 'agent'>, chat: ChatTarget): string {
  const { platform } = chat.account;
  const chats = platform === 'local' ? undefined : config.platforms[platform].chats;
  return chatRule(chats, chat.place, 'instructions') ?? config.agent.instructions;
}
