/** From the history and what was typed here to the lines shown. Pure. */

/** In front of everything the service itself says. */
const noticeMark = '\u2139\uFE0F ';

/**
 * Which typed items are which lines: by the page's id where the history has it, else by text, looking only below the
 * line that was the newest when it was typed. Returns pairs [item id, line id] not known before.
 */
export function matchItems(lines, items) {
  const taken = new Set(items.map((item) => item.lineId).filter(Boolean));
  const pairs = [];
  for (const item of items) {
    if (item.edits || item.lineId) continue;
    const from = item.afterLine === null ? 0 : lines.findIndex((line) => line.id === item.afterLine) + 1;
    const line = lines.find(
      (one, index) => isOwn(one) && !taken.has(one.id) && isSame(one, item, index >= from),
    );
    if (!line) continue;
    taken.add(line.id);
    pairs.push([item.id, line.id]);
  }
  return pairs;
}

function isSame(line, item, isBelow) {
  if (line.messageId) return line.messageId === item.id;
  if (!isBelow) return false;
  // A very long text is kept beside the transcript; the line then shows its beginning.
  return (
    line.text.trim() === item.text.trim() ||
    (item.text.length > 4_000 && line.text.includes(item.text.slice(0, 80)))
  );
}

function isOwn(line) {
  return line.role === 'user';
}

/**
 * Everything to show, oldest first: `{ key, kind: 'own' | 'answer' | 'notice', text, at, state, itemId, edited }`.
 * `complete`: the history is here from its beginning.
 */
export function shownLines(lines, items, complete) {
  const edits = new Map(items.filter((item) => item.edits).map((item) => [item.edits, item]));
  const itemOfLine = new Map(items.filter((item) => item.lineId).map((item) => [item.lineId, item]));
  const shown = lines.flatMap((line) => {
    const view = lineView(line, itemOfLine.get(line.id), edits);
    return view ? [view] : [];
  });
  for (const item of items) {
    const isInHistory = item.lineId !== null && lines.some((line) => line.id === item.lineId);
    if (item.edits || isInHistory) continue;
    const place = placeOf(item, shown, complete);
    if (place >= 0) shown.splice(place, 0, ownView(item, null, edits));
  }
  return shown;
}

/** Below the line it was typed under and below what was typed there before; -1: older than what is shown. */
function placeOf(item, shown, complete) {
  if (item.state !== 'sent') return shown.length;
  if (item.lineId !== null) return -1;
  let place =
    item.afterLine === null
      ? complete
        ? 0
        : -1
      : shown.findIndex((view) => view.lineId === item.afterLine) + 1 || -1;
  while (place >= 0 && place < shown.length && shown[place].lineId === null) place++;
  return place;
}

function lineView(line, item, edits) {
  if (line.kind === 'person') return ownView(item, line, edits);
  const isNotice = line.kind === 'notice' || line.text.startsWith(noticeMark);
  if (!isNotice && line.kind !== 'assistant') return null;
  const text = line.text.startsWith(noticeMark) ? line.text.slice(noticeMark.length) : line.text;
  return {
    key: line.id,
    lineId: line.id,
    kind: isNotice ? 'notice' : 'answer',
    text,
    at: line.at,
    state: 'sent',
  };
}

function ownView(item, line, edits) {
  const edit = edits.get(item?.id ?? line?.messageId);
  return {
    key: item?.id ?? line.id,
    lineId: line?.id ?? null,
    itemId: item?.id ?? line?.messageId ?? null,
    kind: 'own',
    text: edit?.text ?? line?.text ?? item.text,
    at: line?.at ?? item.at,
    state: edit && edit.state !== 'sent' ? edit.state : (item?.state ?? 'sent'),
    problem: edit?.problem ?? item?.problem ?? null,
    signIn: edit?.signIn ?? item?.signIn ?? false,
    editId: edit?.id ?? null,
    edited: edit !== undefined,
  };
}

/** The own message that may still be edited: the last one, if we know its id and it was no command. */
export function editable(shown) {
  const own = shown.findLast((view) => view.kind === 'own');
  return own?.itemId && own.state === 'sent' && !own.text.startsWith('/') ? own : null;
}

/** True while the last word is the person's, so an answer is owed. */
export function isOwed(shown) {
  const last = shown.at(-1);
  return last?.kind === 'own' && last.state === 'sent';
}
