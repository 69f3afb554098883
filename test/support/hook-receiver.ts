/** A receiver of webhooks that keeps what it hears and proves each signature as Standard Webhooks say. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayEvent } from '@palimpsest/core';

const key = Buffer.alloc(32, 7);

export const hookSecret = `whsec_${key.toString('base64')}`;

export interface Heard {
  id: string;
  headers: IncomingHttpHeaders;
  body: { type: string; timestamp: string; data: GatewayEvent };
  isSigned: boolean;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
}

/** Answers what the test says, 204 otherwise. */
export async function startHookReceiver(
  answer: (heard: Heard) => number | Answer | Promise<number> = () => 204,
) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = readHook(request.headers, Buffer.concat(chunks).toString());
    heard.push(one);
    const answered = await answer(one);
    const { status, headers } = typeof answered === 'number' ? { status: answered } : answered;
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readHook(headers: IncomingHttpHeaders, sent: string): Heard {
  const id = String(headers['webhook-id']);
  const signed = `${id}.${String(headers['webhook-timestamp'])}.${sent}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return {
    id,
    headers,
    body: JSON.parse(sent) as Heard['body'],
    isSigned: headers['webhook-signature'] === signature,
  };
}
