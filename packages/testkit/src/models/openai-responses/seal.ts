import { createHmac } from 'node:crypto';

/**
 * Encrypted contents of one server and one account: `<server>.<plain>.<signature>`. Another server, or the same one
 * asked with another account, cannot read them. `plain` carries the tokens that the content stands for.
 */
export class Seal {
  private readonly secret: string;

  constructor(secret: string) {
    this.secret = secret;
  }

  close(kind: 'reasoning' | 'compaction', account: string, plain: string): string {
    const body = Buffer.from(JSON.stringify([kind, plain])).toString('base64url');
    return `${body}.${this.sign(account, body)}`;
  }

  /** The plain text, or undefined when this server did not make it for this account. */
  open(kind: 'reasoning' | 'compaction', account: string, content: unknown): string | undefined {
    const [body = '', signature] = typeof content === 'string' ? content.split('.') : [];
    if (signature !== this.sign(account, body)) return undefined;
    const parsed: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    if (!Array.isArray(parsed) || parsed[0] !== kind) return undefined;
    return typeof parsed[1] === 'string' ? parsed[1] : undefined;
  }

  private sign(account: string, body: string): string {
    return createHmac('sha256', this.secret).update(account).update('\0').update(body).digest('base64url');
  }
}
