import { createHash } from 'node:crypto';
import {
  cleanText,
  largestUploadBytes,
  sizeWords,
  type FileToSend,
  type NewPayload,
  type Platform,
  type Tool,
  type ToolResult,
  type TranscriptStore,
} from '@palimpsest/core';

/** Every platform takes captions of this length, with a mark of a repeat in front. */
const longestCaption = 900;
const longestName = 100;

/** Sends a file into the chat: one that is kept in this conversation, or a text that the model writes. */
export function sendFile(transcript: Pick<TranscriptStore, 'payloadHead'>): Tool {
  return {
    // What goes out is written with the round, once.
    repeatable: true,
    isFor: ({ platform }) => largestUploadBytes[platform] > 0,
    schema: {
      name: 'send_file',
      description:
        'Send a file to the person: an image or file kept in this conversation, by its payload id, or a text document that you write. It goes out at once, beside your answer.',
      parameters: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'File name with its extension, such as report.md' },
          id: { type: 'string', description: 'Id of the payload, as the tool result named it' },
          text: { type: 'string', description: 'What stands in the file, instead of an id' },
          caption: { type: 'string', description: 'A few words beside the file' },
        },
        required: ['name'],
      },
    },
    async run(input, { session, platform = session.platform }) {
      const wish = readWish(input);
      if (typeof wish === 'string') return failed(wish);
      if (wish.text !== undefined) return writtenFile(wish, wish.text, platform);
      const found = await transcript.payloadHead(session.id, wish.id);
      if (found === null)
        return failed(`no file with id ${JSON.stringify(wish.id)} in this conversation; nothing was sent`);
      return sent({ ...wish, payloadId: found.id, mime: found.mime }, found.bytes, platform);
    },
  };
}

interface Wish {
  name: string;
  caption: string;
  id: string;
  text?: string;
}

/** A text says what is wrong. */
function readWish(input: Record<string, unknown>): Wish | string {
  const name = typeof input['name'] === 'string' ? fileName(input['name']) : '';
  const caption = typeof input['caption'] === 'string' ? cleanText(input['caption']).trim() : '';
  const id = typeof input['id'] === 'string' ? input['id'].trim() : '';
  const text = typeof input['text'] === 'string' ? cleanText(input['text']) : undefined;
  if (name === '') return 'send_file needs "name", a file name such as report.md; nothing was sent';
  if (caption.length > longestCaption)
    return `the caption has ${caption.length} characters and may have ${longestCaption}; say the rest in your answer; nothing was sent`;
  if ((id === '') === (text === undefined))
    return 'send_file needs either "id" of a kept file or "text" to put into one; nothing was sent';
  if (text?.trim() === '') return 'the text of the file is empty; nothing was sent';
  return { name, caption, id, ...(text !== undefined && { text }) };
}

/** The last part of a path, without what a chat or a disk would take for something else. */
function fileName(wished: string): string {
  const last = cleanText(wished).split(/[/\\]/).at(-1) ?? '';
  const clean = last.replaceAll(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '').trim();
  return clean.length <= longestName ? clean : shortened(clean);
}

function shortened(name: string): string {
  const extension = /\.[\w-]{1,10}$/.exec(name)?.[0] ?? '';
  return name.slice(0, longestName - extension.length).toWellFormed() + extension;
}

function writtenFile({ name, caption }: Wish, text: string, platform: Platform): ToolResult {
  const payload: NewPayload = {
    id: createHash('sha256').update(text).digest('hex'),
    mime: 'text/plain',
    text,
  };
  const file = { payloadId: payload.id, mime: payload.mime, name, caption };
  const result = sent(file, Buffer.byteLength(text), platform);
  return result.isError ? result : { ...result, payloads: [payload] };
}

function sent({ payloadId, name, mime, caption }: FileToSend, bytes: number, platform: Platform): ToolResult {
  const limit = largestUploadBytes[platform];
  if (bytes > limit)
    return failed(
      `${name} is ${sizeWords(bytes)}, and ${sizeWords(limit)} is the most that can be sent here; nothing was sent. Say so, or send a smaller part.`,
    );
  return {
    text: `${name} (${sizeWords(bytes)}) is on its way to the person.`,
    isError: false,
    files: [{ payloadId, name, mime, caption }],
  };
}

function failed(text: string): ToolResult {
  return { text, isError: true };
}
