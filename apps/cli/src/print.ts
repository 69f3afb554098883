/** The answer of a command: one JSON object, or lines to read. */
export function print(asJson: boolean | undefined, object: unknown, lines: readonly string[]): void {
  process.stdout.write(asJson ? `${JSON.stringify(object)}\n` : `${lines.join('\n')}\n`);
}
