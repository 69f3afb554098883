/** Which urge, and how firmly. Texts hold no figures that change: the same situation reads the same. */
export interface NudgeWords {
  kind: 'context_limit' | 'turn' | 'iteration' | 'manual';
  level: 'soft' | 'strong' | 'emergency';
  /** Range mode `m0001 to m0042`, message mode `m0017`; one to three, largest and oldest first. */
  spans: readonly string[];
  /** Refs of blocks in force; range mode only. */
  blocks: readonly string[];
  /** What the person asked to keep in detail; manual only. */
  focus: string;
}

/** Begins every nudge; what answers one looks for it. */
const nudgeOpening = '<dcp-reminder>';
const nudgeClosing = '</dcp-reminder>';

/** The note at the end of a prompt that asks the model to compress. */
export function nudgeText(words: NudgeWords): string {
  const lines = [askOf(words), spansOf(words)];
  if (words.blocks.length > 0)
    lines.push(`Blocks in force: ${words.blocks.join(', ')}. A range over one takes the whole block in.`);
  return `${nudgeOpening}\n${lines.filter((line) => line !== '').join('\n')}\n${nudgeClosing}`;
}

const asks = {
  context_limit: {
    soft: 'This conversation has grown long. When the step at hand allows it, call compress on parts that are finished.',
    strong:
      'This conversation is longer than it should be. Call compress on finished parts now, before other work.',
    emergency:
      'The next messages may not fit any more. Make compress your next call, over the largest finished part.',
  },
  turn: {
    soft: 'Before answering, see whether an earlier topic is finished; if so, call compress on it.',
    strong: 'A new request begins. Call compress on what is finished before you work on it.',
    emergency: 'A new request begins and little room is left. Call compress first.',
  },
  iteration: {
    soft: 'Many steps lie behind this request. Results you have already used can go: call compress on them.',
    strong:
      'Many steps lie behind this request. Call compress on the steps that are done before the next one.',
    emergency:
      'Many steps lie behind this request and little room is left. Call compress before the next step.',
  },
} as const;

function askOf({ kind, level, focus }: NudgeWords): string {
  if (kind !== 'manual') return asks[kind][level];
  const keep = focus === '' ? '' : ` Keep in detail what concerns: ${JSON.stringify(focus)}.`;
  return `The person asked for the conversation to be compressed. Call compress on its finished parts now, then go on.${keep}`;
}

function spansOf({ spans }: NudgeWords): string {
  return spans.length === 0 ? '' : `Parts that can go: ${spans.join('; ')}.`;
}
