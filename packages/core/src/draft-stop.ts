/** The button under a draft stops the answer that the draft shows, and no later one: its /stop says which draft it was. */
const mark = 'draft:';

/** What stands behind the name of such a /stop. */
export function stopOfDraft(draftId: string): string {
  return mark + draftId;
}

/** The draft under which a /stop was pressed; null: it was typed, and means whatever runs. */
export function draftOfStop(argument: string): string | null {
  return argument.startsWith(mark) ? argument.slice(mark.length) : null;
}
