import type { ChatPlace, Config, PlatformSender } from '@palimpsest/core';

/** How answers are shown while they are written: `direct` and `group` are the ways for the two kinds of chats. */
export interface StreamSettings {
  direct: StreamWay;
  group: StreamWay;
  everyMs: Readonly<Record<ChatPlace['kind'], number>>;
}

export type StreamWay = 'edit' | 'draft' | 'off';

/** What the config wants and the platform can do; null: nothing is shown. */
export function wayOfStreaming(
  config: Config,
  { account, edit, draft }: PlatformSender,
): StreamSettings | null {
  if (account.platform === 'local' || !edit) return null;
  const keys = config.platforms[account.platform];
  if (keys.stream === 'off') return null;
  return {
    direct: keys.stream === 'draft' && draft ? 'draft' : 'edit',
    group: keys.stream_in_groups ? 'edit' : 'off',
    everyMs: { direct: keys.stream_direct_every_ms, group: keys.stream_elsewhere_every_ms },
  };
}
