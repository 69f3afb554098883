/** Error answers of the REST interface, with Discord's own codes and sentences. */

/** Thrown by a route to answer with an error; `errors` is the nested report of code 50035. */
export class RestRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: Record<string, unknown> | undefined;

  /** `what` holds the HTTP status, Discord's code and its sentence. */
  constructor(
    what: readonly [status: number, code: number, message: string],
    errors?: Record<string, unknown>,
  ) {
    const [status, code, message] = what;
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  get body(): Record<string, unknown> {
    const base = { message: this.message, code: this.code };
    return this.errors === undefined ? base : { ...base, errors: this.errors };
  }
}

/** Refusals by name, as Discord words them. */
export const refuse = {
  unauthorized: () => new RestRefusal([401, 0, '401: Unauthorized']),
  notFound: () => new RestRefusal([404, 0, '404: Not Found']),
  methodNotAllowed: () => new RestRefusal([405, 0, '405: Method Not Allowed']),
  unknownChannel: () => new RestRefusal([404, 10003, 'Unknown Channel']),
  unknownMessage: () => new RestRefusal([404, 10008, 'Unknown Message']),
  unknownUser: () => new RestRefusal([404, 10013, 'Unknown User']),
  unknownEmoji: () => new RestRefusal([400, 10014, 'Unknown Emoji']),
  unknownWebhook: () => new RestRefusal([404, 10015, 'Unknown Webhook']),
  unknownInteraction: () => new RestRefusal([404, 10062, 'Unknown interaction']),
  tooLarge: () => new RestRefusal([413, 40005, 'Request entity too large']),
  alreadyAcknowledged: () => new RestRefusal([400, 40060, 'Interaction has already been acknowledged.']),
  missingAccess: () => new RestRefusal([403, 50001, 'Missing Access']),
  directMessageOnly: () => new RestRefusal([403, 50003, 'Cannot execute action on a DM channel']),
  notOurMessage: () => new RestRefusal([403, 50005, 'Cannot edit a message authored by another user']),
  emptyMessage: () => new RestRefusal([400, 50006, 'Cannot send an empty message']),
  cannotMessageUser: () => new RestRefusal([403, 50007, 'Cannot send messages to this user']),
  missingPermissions: () => new RestRefusal([403, 50013, 'Missing Permissions']),
  invalidWebhookToken: () => new RestRefusal([401, 50027, 'Invalid Webhook Token']),
  invalidVersion: () => new RestRefusal([400, 50041, 'Invalid API version']),
  invalidJson: () => new RestRefusal([400, 50109, 'The request body contains invalid JSON.']),
  lockedThread: () => new RestRefusal([403, 160005, 'Thread is locked']),
} as const;

/** Code 50035 for one field, for example `content` with BASE_TYPE_MAX_LENGTH. */
export function invalidField(field: string, code: string, message: string): RestRefusal {
  return new RestRefusal([400, 50035, 'Invalid Form Body'], { [field]: { _errors: [{ code, message }] } });
}
