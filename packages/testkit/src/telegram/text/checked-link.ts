/** Link targets as the server keeps them. */
import type { Entity } from '../types.ts';

const LINK = /^(?:(https?|ftp|tg|ton|mailto):(?:\/\/)?)?(.+)$/is;
const USER_LINK = /^tg:\/\/user\/?\?id=(\d+)$/i;

/**
 * Make the entity of a link.
 *
 * returns  text_mention for tg://user, text_link for other good links; undefined if the
 *          server would drop the link in silence (no dot in the host, spaces)
 */
export function linkEntity(url: string, offset: number, length: number): Entity | undefined {
  const userId = USER_LINK.exec(url)?.[1];
  if (userId !== undefined) {
    const user = { id: Number(userId), is_bot: false, first_name: 'User' };
    return { type: 'text_mention', offset, length, user };
  }
  const checked = checkedLink(url.trim());
  return checked === undefined ? undefined : { type: 'text_link', offset, length, url: checked };
}

function checkedLink(url: string): string | undefined {
  const [, protocol = 'http', rest = ''] = LINK.exec(url) ?? [];
  if (rest === '' || /\s/.test(url)) return undefined;
  const scheme = protocol.toLowerCase();
  if (scheme === 'tg' || scheme === 'ton') return `${scheme}://${rest}`;
  const target = scheme === 'mailto' ? `http://${rest}` : `${scheme}://${rest}`;
  if (!URL.canParse(target)) return undefined;
  const parsed = new URL(target);
  return /\.|^localhost$|^\[/.test(parsed.hostname) ? parsed.href : undefined;
}
