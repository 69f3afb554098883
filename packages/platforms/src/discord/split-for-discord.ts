/** Markdown → text with spans → pieces → Discord's Markdown. */
import type { Markup, PartContent } from '@palimpsest/core';
import { renderMarkdown } from '../text/render-markdown.ts';
import { splitStyled } from '../text/split-styled.ts';
import { plainText } from '../text/styled-text.ts';
import { withFile } from '../text/with-file.ts';
import { discordMarkdown } from './discord-markdown.ts';

/** Below Discord's 2,000, because its unit is not documented; leaves room for a mark in front of a part. */
const partLimit = 1_930;

/** Parts for Discord; `fileOverParts` 0: never a file. */
export function splitForDiscord(
  text: string,
  { markup, fileOverParts, fileCaption }: { markup: Markup; fileOverParts: number; fileCaption?: string },
): readonly PartContent[] {
  const styled = markup === 'markdown' ? renderMarkdown(text) : plainText(text);
  const pieces = splitStyled(styled, {
    limit: partLimit,
    fits: (piece) => discordMarkdown(piece).length <= partLimit,
  });
  const parts = pieces.map((piece): PartContent => ({ text: discordMarkdown(piece) }));
  return markup === 'markdown' ? withFile(parts, { text, over: fileOverParts, caption: fileCaption }) : parts;
}
