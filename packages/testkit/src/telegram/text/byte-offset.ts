/** The byte position (UTF-8) of a UTF-16 index; parse errors of the real server count bytes. */
export function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}
