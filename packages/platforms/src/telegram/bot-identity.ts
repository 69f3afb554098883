/** Who the bot is, from getMe: to know its own messages, its mentions and /command@name. */
export interface BotIdentity {
  /** Numeric id. */
  id: string;
  username: string;
}
