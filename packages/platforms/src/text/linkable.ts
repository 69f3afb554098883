/** Room for a label must be left beside an address in the smallest message, Discord's. */
const longestAddressUnits = 1_000;

/**
 * Whether an address can stand behind a word on every platform. Only the web: `tg://user` would ping a person, and
 * hosts without a dot, spaces and relative paths are dropped by Telegram in silence.
 */
export function isLinkable(url: string): boolean {
  if (!/^https?:\/\/[^\s]+$/i.test(url) || encodedLink(url).length > longestAddressUnits) return false;
  return URL.canParse(url) && /\.|^localhost$|^\[/.test(new URL(url).hostname);
}

/** The same address without the characters that would end it in Discord's Markdown. */
export function encodedLink(url: string): string {
  return url.replaceAll(/[()<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
