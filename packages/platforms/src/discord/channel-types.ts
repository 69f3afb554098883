/** A direct chat of several people. */
export const groupDirect = 3;
/** Threads of news, public and private ones: channels of their own. */
export const threadTypes: ReadonlySet<unknown> = new Set([10, 11, 12]);
