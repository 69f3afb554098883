/** How much a message weighs, as message mode shows it. */
export type Priority = 'low' | 'medium' | 'high';

const highTokens = 5_000;
const mediumTokens = 500;

/** A message that holds a finished compress call always weighs most: it has done its work. */
export function priorityOf({ tokens }: { tokens: number }, isCompressUnit: boolean): Priority {
  if (isCompressUnit || tokens >= highTokens) return 'high';
  return tokens >= mediumTokens ? 'medium' : 'low';
}
