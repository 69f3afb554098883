import { accountKey, GatewayError, type Platform, type Queue, type Store } from '@palimpsest/core';

/** What the person is told; what they wrote before is nowhere. */
const approvedText =
  'ℹ️ The operator of this bot has let you in. Write to me again; what you wrote before was not kept.';

/** Let in whoever was shown the code; returns who that is. Throws input_invalid where the code does not hold. */
export async function approveCode(
  parts: { store: Pick<Store, 'access'>; queue: Pick<Queue, 'deliver'> },
  code: string,
): Promise<{ platform: Platform; userId: string }> {
  const approval = await parts.store.access.approve(code, approvedText);
  switch (approval.kind) {
    case 'locked':
      throw new GatewayError(
        'input_invalid',
        `there were five wrong codes in a row; approvals are locked for ${approval.minutes} more minutes. \`access allow\` still works.`,
      );
    case 'unknown':
      throw new GatewayError(
        'input_invalid',
        `no open request has this code; it is wrong, used or older than an hour. ${approval.left === 0 ? 'Approvals are locked for an hour now.' : `${approval.left} more tries.`}`,
      );
    case 'approved':
      await parts.queue.deliver(accountKey(approval.account));
      return { platform: approval.platform, userId: approval.userId };
  }
}
