import type { Notification } from './json-peer.ts';

/**
 * Answers to what the server asks in the middle of a turn: nobody sits here who could allow anything, so everything is
 * declined. An unanswered request would hang the turn.
 * throws for requests we have no answer to; the server then gets an error
 */
export function declineRequest({ method }: Notification): unknown {
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { decision: 'decline' };
    case 'execCommandApproval':
    case 'applyPatchApproval':
      return { decision: 'denied' };
    case 'item/permissions/requestApproval':
      return { permissions: {}, scope: 'turn' };
    case 'item/tool/requestUserInput':
      return { answers: {} };
    case 'mcpServer/elicitation/request':
      return { action: 'decline' };
    case 'item/tool/call':
      return { contentItems: [], success: false };
    default:
      throw new Error(`${method} is not supported by this client`);
  }
}
