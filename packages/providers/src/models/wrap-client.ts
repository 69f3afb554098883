import type { ModelClient, ModelInfo } from '@palimpsest/core';

/** The same client with something else known of it or done around its stream; all else goes through. */
export function wrapClient(
  client: ModelClient,
  change: { info?: () => ModelInfo; stream?: ModelClient['stream'] },
): ModelClient {
  const { compactThread, close } = client;
  return {
    get info() {
      return change.info ? change.info() : client.info;
    },
    stream: change.stream ?? ((request, signal) => client.stream(request, signal)),
    ...(compactThread ? { compactThread: compactThread.bind(client) } : {}),
    ...(close ? { close: close.bind(client) } : {}),
  };
}
