import type { Config, ToolSchema } from '@palimpsest/core';

export const compressToolName = 'compress';

type Mode = Config['context']['dcp']['compress']['mode'];

const topic = { type: 'string', description: 'What this is about, three to five words.' };

const rangeEntry = {
  type: 'object',
  properties: {
    startId: {
      type: 'string',
      description: 'First message or block of the range, by its mark: m0003 or b2.',
    },
    endId: { type: 'string', description: 'Last message or block of the range, by its mark.' },
    summary: {
      type: 'string',
      description:
        'Everything of the range that later work needs, written as a record of the past. (b2) stands for the text of block b2 where the range takes it in.',
    },
  },
  required: ['startId', 'endId', 'summary'],
};

const messageEntry = {
  type: 'object',
  properties: {
    messageId: { type: 'string', description: 'The message, by its mark: m0003.' },
    topic,
    summary: {
      type: 'string',
      description: 'Everything of the message that later work needs, written as a record of the past.',
    },
  },
  required: ['messageId', 'topic', 'summary'],
};

/** The compress tool as a model sees it; constant for a session, so that the cached prefix stands. */
export function compressSchema(mode: Mode): ToolSchema {
  const isRange = mode === 'range';
  return {
    name: compressToolName,
    description: isRange
      ? 'Replace finished ranges of this conversation by summaries of yours. From the next step on each is shown as one block in place of its messages; the messages stay stored. The newest messages cannot be compressed. Either all entries are done, or none and the answer says what to change.'
      : 'Replace single large messages of this conversation by summaries of yours. From the next step on each is shown as one block in its place; the messages stay stored. The newest messages cannot be compressed. Either all entries are done, or none and the answer says what to change.',
    parameters: {
      type: 'object',
      properties: {
        topic,
        content: {
          type: 'array',
          description: isRange ? 'Ranges that share no message.' : 'Messages, each once.',
          items: isRange ? rangeEntry : messageEntry,
        },
      },
      required: ['topic', 'content'],
    },
  };
}
