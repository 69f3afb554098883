/** What doctor found about one part: `words` say what to do where it is not fine. */
export interface Finding {
  what: string;
  state: 'fine' | 'warning' | 'problem';
  words: string;
}

/** `1 reply`, `1,234 replies`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

export function fine(what: string, words: string): Finding {
  return { what, state: 'fine', words };
}

export function warning(what: string, words: string): Finding {
  return { what, state: 'warning', words };
}

export function problem(what: string, words: string): Finding {
  return { what, state: 'problem', words };
}
