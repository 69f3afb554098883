import type { Tool, TranscriptStore } from '@palimpsest/core';

const pageBytes = 8_000;

/** Pages through a text that was too long for the prompt. Read-only. */
export function readPayload(transcript: TranscriptStore): Tool {
  return {
    repeatable: true,
    schema: {
      name: 'read_payload',
      description:
        'Read on in a long text that is only shown in part: the id from its preview and a byte offset.',
      parameters: {
        type: 'object',
        properties: { id: { type: 'string' }, offset: { type: 'integer', minimum: 0 } },
        required: ['id'],
      },
    },
    async run(input, scope) {
      const id = input['id'];
      const offset =
        typeof input['offset'] === 'number' && input['offset'] >= 0 ? Math.floor(input['offset']) : 0;
      if (typeof id !== 'string' || id === '')
        return { text: 'read_payload needs "id", as the preview names it', isError: true };
      const found = await transcript.payload(scope.session.id, id, { offset, maxBytes: pageBytes });
      if (!found)
        return { text: `no text with id ${JSON.stringify(id)} in this conversation`, isError: true };
      const more =
        found.nextOffset > offset && found.nextOffset < found.totalBytes
          ? `\n[more: offset ${found.nextOffset}]`
          : '\n[end]';
      return { text: found.text + more, isError: false };
    },
  };
}
