/** One answer at most; a stream of events that grows beyond this is opened anew. */
const maxBodyBytes = 16 * 1024 * 1024;

/** fetch, whose bodies fail once they are too long, so that a server cannot fill the worker's memory. */
export async function fetchLimited(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.body) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBodyBytes) controller.error(new Error(`an answer of more than ${maxBodyBytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
