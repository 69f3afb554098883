import type { PhrasingContent, Text } from 'mdast';

/** `||hidden||`: Telegram and Discord know it, Markdown does not. */
export interface Spoiler {
  type: 'spoiler';
  children: readonly Inline[];
}

export type Inline = PhrasingContent | Spoiler;

// Something other than a space stands inside of each pair of bars, so "a || b" is no spoiler.
const bars = /(?<!\|)\|\|(?=[^\s|])|(?<=[^\s|])\|\|(?!\|)/g;
// Beside something that is not text, such as a link.
const barsAtStart = /^\|\|(?!\|)/;
const barsAtEnd = /(?<!\|)\|\|$/;

/** The children of one paragraph with everything between two pairs of bars put under a spoiler. */
export function pairSpoilers(children: readonly PhrasingContent[]): readonly Inline[] {
  if (!children.some((child) => child.type === 'text' && child.value.includes('||'))) return children;
  const pieces = children.flatMap((child, at) =>
    cutAtBars(child, { isFirst: at === 0, isLast: at === children.length - 1 }),
  );
  const result: Inline[] = [];
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index]!;
    const closing = isBars(piece) ? pieces.findIndex((other, at) => at > index + 1 && isBars(other)) : -1;
    if (closing === -1) result.push(piece);
    else result.push({ type: 'spoiler', children: pieces.slice(index + 1, closing) });
    if (closing !== -1) index = closing;
  }
  return result;
}

function cutAtBars(child: PhrasingContent, place: { isFirst: boolean; isLast: boolean }): PhrasingContent[] {
  if (child.type !== 'text' || !child.value.includes('||')) return [child];
  const { value } = child;
  const places = new Set([...value.matchAll(bars)].map(({ index }) => index));
  if (!place.isFirst && barsAtStart.test(value)) places.add(0);
  if (!place.isLast && barsAtEnd.test(value)) places.add(value.length - 2);
  if (places.size === 0) return [child];
  const texts: Text[] = [];
  let from = 0;
  for (const index of [...places].toSorted((one, other) => one - other)) {
    texts.push({ type: 'text', value: value.slice(from, index) }, { type: 'text', value: '||' });
    from = index + 2;
  }
  texts.push({ type: 'text', value: value.slice(from) });
  return texts.filter((text) => text.value !== '');
}

function isBars(piece: PhrasingContent): boolean {
  return piece.type === 'text' && piece.value === '||';
}
