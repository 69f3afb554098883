import { createHmac } from 'node:crypto';

/** Signs the thinking this server gave out, so that changed or foreign thinking is told apart when it returns. */
export class ThinkingSeal {
  private readonly secret: string;

  constructor(secret: string) {
    this.secret = secret;
  }

  sign(thinking: string): string {
    return createHmac('sha256', this.secret).update(thinking).digest('base64');
  }

  holds(thinking: string, signature: unknown): boolean {
    return signature === this.sign(thinking);
  }
}
