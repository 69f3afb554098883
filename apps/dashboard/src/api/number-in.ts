import { inputInvalid } from '../error-response.ts';

/** A whole number from a query; the usual one when it is not given. throws input_invalid outside the range */
export function numberIn(
  text: string | undefined,
  range: { least: number; most: number; usual: number },
): number {
  if (text === undefined || text === '') return range.usual;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= range.least && value <= range.most) return value;
  throw inputInvalid(
    `${JSON.stringify(text.slice(0, 40))} is no whole number from ${range.least} to ${range.most}`,
  );
}
