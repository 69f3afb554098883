import type { Entity } from '../types.ts';

// Order of the server for entities over the same stretch: outer ones first.
const PRIORITY = [
  'expandable_blockquote',
  'blockquote',
  'text_link',
  'text_mention',
  'pre',
  'code',
  'bold',
  'italic',
];

/** Sort as the server does: by offset, longer first, then by kind. Gives a new list. */
export function sortEntities(entities: readonly Entity[]): Entity[] {
  return entities.toSorted(
    (a, b) => a.offset - b.offset || b.length - a.length || rank(a.type) - rank(b.type),
  );
}

function rank(type: string): number {
  const place = PRIORITY.indexOf(type);
  return place === -1 ? PRIORITY.length : place;
}
