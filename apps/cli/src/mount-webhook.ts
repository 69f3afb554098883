import type { createPages } from '@palimpsest/dashboard';
import type { TelegramWebhook } from '@palimpsest/platforms';

type Mounter = NonNullable<Parameters<typeof createPages>[0]['mount']>;

/** More than Telegram sends and than the webhook takes (1 MB): what is longer is refused without being read. */
const longestReadBytes = 1024 * 1024 + 1;

/** The route that Telegram calls stands outside the guards of the pages: it has a secret of its own. */
export function mountWebhook(pages: Parameters<Mounter>[0], webhook: TelegramWebhook | null): void {
  if (!webhook) return;
  pages.post(webhook.path, async (context) => {
    const secret = context.req.header('x-telegram-bot-api-secret-token') ?? null;
    const body = await readAtMost(context.req.raw.body, longestReadBytes);
    const answer = await webhook.handle({ secret, body });
    // Nobody waits for the rest of what a stranger wanted to send.
    const headers: Record<string, string> =
      body.byteLength === longestReadBytes ? { connection: 'close' } : {};
    return new Response(answer.body, { status: answer.status, headers });
  });
}

/** The first bytes of a body; a longer one is neither kept nor read on. */
async function readAtMost(body: ReadableStream<Uint8Array> | null, bytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    length += piece.byteLength;
    if (length >= bytes) break;
  }
  return Buffer.concat(pieces).subarray(0, bytes);
}
