/** Whether a session's name matches one of these globs: `*` stops at a colon, `**` does not. */
export function matchesPattern(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => asExpression(pattern).test(name));
}

function asExpression(pattern: string): RegExp {
  const source = pattern
    .split(/(\*{1,2})/)
    .map((piece) => {
      if (piece === '**') return '.*';
      return piece === '*' ? '[^:]*' : piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${source}$`);
}
