import { createHmac } from 'node:crypto';
import { GatewayError } from '@palimpsest/core';

const prefix = 'whsec_';

/**
 * The bytes of a secret as Standard Webhooks write it: `whsec_` and base64, 24 to 64 bytes.
 * throws config_invalid, without the secret in its words
 */
export function webhookKey(secret: string, variable: string): Buffer {
  const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : '', 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  throw new GatewayError(
    'config_invalid',
    `${variable} holds no secret for a webhook: whsec_ and the base64 of 24 to 64 bytes is needed (openssl rand -base64 32 makes some).`,
  );
}

/** The three headers that let a receiver prove where a message came from. `seconds` is the time of this attempt. */
export function webhookHeaders(
  key: Buffer,
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
