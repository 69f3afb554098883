/** What has to be found again character by character. */
export const identifierKinds = ['path', 'sha', 'number', 'error', 'url'] as const;
export type IdentifierKind = (typeof identifierKinds)[number];

const expressions: Readonly<Record<IdentifierKind, RegExp>> = {
  url: /\bhttps?:\/\/[^\s"'<>()[\]{}\\,`]+[^\s"'<>()[\]{}\\,`.:;]/g,
  path: /(?<![\w/.:])(?:\.{0,2}\/)?(?:[\w@-][\w.@-]*\/)+[\w@-][\w.@-]*\w/g,
  sha: /\b(?=[0-9a-f]*\d)(?=\d*[a-f])(?:[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64})\b/g,
  number: /(?<![\w.])\d+(?:[.,:]\d+)+(?![\w.])|(?<![\w.])\d{3,}(?![\w.])/g,
  error: /\b[A-Z]\w*(?:Error|Exception|Warning): [^\n]{3,120}/g,
};

/** The identifiers of texts by kind, each once, in order. What is part of a URL is no path or number of its own. */
export function findIdentifiers(
  texts: readonly string[],
): Readonly<Record<IdentifierKind, readonly string[]>> {
  const found = {
    path: new Set<string>(),
    sha: new Set<string>(),
    number: new Set<string>(),
    error: new Set<string>(),
    url: new Set<string>(),
  };
  for (const text of texts) {
    for (const [url] of text.matchAll(expressions.url)) found.url.add(url);
    const rest = text.replaceAll(expressions.url, ' ');
    for (const kind of ['path', 'sha', 'number', 'error'] as const)
      for (const [identifier] of rest.matchAll(expressions[kind])) found[kind].add(identifier.trim());
  }
  return {
    path: [...found.path],
    sha: [...found.sha],
    number: [...found.number],
    error: [...found.error],
    url: [...found.url],
  };
}

/** At most `most` of a list, evenly over its length, so that a long conversation is measured in minutes. */
export function sample<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]!);
}
