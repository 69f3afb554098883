/** Text and caption parameters with their limits. */
import { badRequest } from '../api-error.ts';
import type { Entity, FormattedText, Message } from '../types.ts';
import { countCharacters, formatText } from './format-text.ts';

const TEXT_LIMIT = 4096;
const CAPTION_LIMIT = 1024;

/** Parameters of a text. */
export interface TextParams {
  readonly text?: string;
  readonly parse_mode?: string;
  readonly entities?: readonly Entity[];
}

/** Parameters of a caption. */
export interface CaptionParams {
  readonly caption?: string;
  readonly parse_mode?: string;
  readonly caption_entities?: readonly Entity[];
}

/** Read a text of 1 to 4096 characters after parsing; `tooLong` is the wording of the refusal. */
export function readText(params: TextParams, tooLong: string): FormattedText {
  if ((params.text ?? '') === '') throw badRequest('message text is empty');
  const formatted = formatText({
    text: params.text ?? '',
    parseMode: params.parse_mode,
    entities: params.entities,
  });
  if (formatted.text === '') throw badRequest('text must be non-empty');
  if (countCharacters(formatted.text) > TEXT_LIMIT) throw badRequest(tooLong);
  return formatted;
}

/** Read a caption of at most 1024 characters after parsing; empty object if there is none. */
export function readCaption(
  params: CaptionParams,
  tooLong: string,
): Pick<Message, 'caption' | 'caption_entities'> {
  const { text, entities } = formatText({
    text: params.caption ?? '',
    parseMode: params.parse_mode,
    entities: params.caption_entities,
  });
  if (countCharacters(text) > CAPTION_LIMIT) throw badRequest(tooLong);
  if (text === '') return {};
  return { caption: text, ...(entities.length > 0 && { caption_entities: entities }) };
}
