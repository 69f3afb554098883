/** What is wrong with the secret of webhook mode, in a sentence; null when it can be used. Telegram's own rule. */
export function webhookSecretProblem(secret: string | null): string | null {
  if (secret !== null && /^[A-Za-z0-9_-]{1,256}$/.test(secret)) return null;
  const seen = secret === null ? 'not set' : `malformed (${secret.length} characters)`;
  return `platforms.telegram.mode is webhook and TELEGRAM_WEBHOOK_SECRET is ${seen}; set it to 1 to 256 letters, digits, _ or -.`;
}
