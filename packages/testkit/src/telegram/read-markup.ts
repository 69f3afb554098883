/** Checks of reply_markup that the schema cannot express. */
import { badRequest } from './api-error.ts';
import type { InlineButton, ReplyMarkup } from './types.ts';

const CALLBACK_DATA_BYTES = 64;

/** Give the markup as it will stand in the message: only inline keyboards are kept. Throws 400. */
export function readInlineMarkup(markup: ReplyMarkup | undefined): ReplyMarkup | undefined {
  if (!markup?.inline_keyboard) return undefined;
  const rows = markup.inline_keyboard.filter((row) => row.length > 0);
  for (const button of rows.flat()) checkButton(button);
  return rows.length === 0 ? undefined : { inline_keyboard: rows };
}

function checkButton(button: InlineButton): void {
  const { text, style: _style, icon_custom_emoji_id: _icon, ...actions } = button;
  if (text.trim() === '') throw badRequest("can't parse inline keyboard button: text must be non-empty");
  if (Object.keys(actions).length !== 1) {
    throw badRequest('text buttons are unallowed in the inline keyboard');
  }
  if (button.callback_data === undefined) return;
  const bytes = Buffer.byteLength(button.callback_data);
  if (bytes < 1 || bytes > CALLBACK_DATA_BYTES) throw badRequest('BUTTON_DATA_INVALID');
}
