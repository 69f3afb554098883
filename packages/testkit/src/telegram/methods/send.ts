/** sendMessage, sendDocument, sendPhoto, sendMessageDraft. */
import { badRequest } from '../api-error.ts';
import { findTopic } from '../find-topic.ts';
import { placeMessage, type SendParams } from '../place-message.ts';
import { method, type Handler, type ServerState } from '../server-state.ts';
import { storeUpload } from '../store-upload.ts';
import { readCaption, readText, type CaptionParams, type TextParams } from '../text/read-text.ts';
import { formatText } from '../text/format-text.ts';
import type { UploadedFile } from '../uploaded-file.ts';

const DRAFT_MS = 30_000;

/** Methods that put something new before people's eyes. */
export const sendMethods: Record<string, Handler> = {
  sendMessage: method<SendParams & TextParams & { link_preview_options?: unknown }>((state, params) => {
    const { text, entities } = readText(params, 'message is too long');
    const preview = params.link_preview_options;
    return placeMessage(state, params, {
      text,
      ...(entities.length > 0 && { entities }),
      ...(preview !== undefined && { link_preview_options: preview }),
    });
  }),

  sendDocument: method<SendParams & CaptionParams & { document: UploadedFile | string }>((state, params) => {
    const caption = readCaption(params, 'message caption is too long');
    const document = storeUpload(state, params.document);
    return placeMessage(state, params, { document, ...caption });
  }),

  sendPhoto: method<SendParams & CaptionParams & { photo: UploadedFile | string }>((state, params) => {
    const caption = readCaption(params, 'message caption is too long');
    const { file_id, file_unique_id, file_size } = storeUpload(state, params.photo);
    // The fake does not look into pictures, so the size is made up.
    const photo = [{ file_id, file_unique_id, file_size, width: 90, height: 90 }];
    return placeMessage(state, params, { photo, ...caption });
  }),

  sendMessageDraft: method<DraftParams>((state, params) => showDraft(state, params)),
};

interface DraftParams extends Omit<TextParams, 'text'> {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly draft_id: number;
  readonly text?: string;
  readonly can_stop?: boolean;
  readonly keep_on_stop?: boolean;
}

function showDraft(state: ServerState, params: DraftParams): true {
  const record = state.chats.findWritable(params.chat_id);
  if (record.chat.type !== 'private') throw badRequest('PEER_ID_INVALID');
  if (params.draft_id === 0) throw badRequest('RANDOM_ID_INVALID');
  if (params.message_thread_id !== undefined) findTopic(record, params.message_thread_id);
  // An empty draft shows a thinking state.
  const isEmpty = (params.text ?? '') === '';
  const text = isEmpty
    ? ''
    : formatText({
        text: params.text ?? '',
        parseMode: params.parse_mode,
        entities: params.entities,
      }).text;
  if ([...text].length > 4096) throw badRequest('message is too long');
  const untilMs = state.clock.now().getTime() + DRAFT_MS;
  state.drafts.set(record.chat.id, {
    draftId: params.draft_id,
    ...(params.message_thread_id !== undefined && { threadId: params.message_thread_id }),
    text,
    untilMs,
    canStop: params.can_stop === true,
    staysOnStop: params.keep_on_stop === true,
  });
  return true;
}
