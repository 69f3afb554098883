/** The chat commands, for /help and for the platforms' menus. Names [a-z0-9_]{1,32}. */
export const commandList = [
  { name: 'new', description: 'start a new chapter; what was said stays searchable' },
  { name: 'reset', description: 'end this conversation and begin a fresh one' },
  { name: 'stop', description: 'stop the answer being written' },
  { name: 'status', description: 'how full the context is, and what runs' },
  {
    name: 'compress',
    description: 'condense older parts now; add a topic to keep it in detail, or --preview to only look',
  },
  { name: 'undo_compaction', description: 'take the last condensing back' },
  { name: 'whoami', description: 'your ids, for the operator' },
  { name: 'help', description: 'this list' },
] as const;
