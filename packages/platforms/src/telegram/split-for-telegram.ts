/** Markdown → text with spans → pieces → entities. */
import type { Markup, PartContent } from '@palimpsest/core';
import { renderMarkdown } from '../text/render-markdown.ts';
import { splitStyled } from '../text/split-styled.ts';
import { plainText, type StyledText } from '../text/styled-text.ts';
import { withFile } from '../text/with-file.ts';
import { mostEntities, telegramEntities } from './telegram-entities.ts';

/** Telegram takes 4,096; the rest is room for the mark of a repeated part. */
const partUnits = 4096 - 64;

/** Parts for Telegram; `fileOverParts` 0: never a file. */
export function splitForTelegram(
  text: string,
  { markup, fileOverParts, fileCaption }: { markup: Markup; fileOverParts: number; fileCaption?: string },
): readonly PartContent[] {
  const styled = markup === 'markdown' ? renderMarkdown(text) : plainText(text);
  const pieces = splitStyled(styled, { limit: partUnits, fits });
  const parts = pieces.map((piece): PartContent => {
    const entities = telegramEntities(piece);
    return { text: piece.text, ...(entities.length > 0 && { form: { kind: 'entities', entities } }) };
  });
  return markup === 'markdown' ? withFile(parts, { text, over: fileOverParts, caption: fileCaption }) : parts;
}

function fits(piece: StyledText): boolean {
  return telegramEntities(piece).length <= mostEntities;
}
