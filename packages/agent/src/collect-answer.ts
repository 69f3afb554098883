import {
  estimateParts,
  type FellBack,
  type ModelClient,
  type ModelFailure,
  type ModelRequest,
  type NewRow,
  type Part,
  type ProviderCompaction,
  type StopReason,
  type Usage,
} from '@palimpsest/core';

export type CollectedAnswer =
  | { kind: 'answer'; row: NewRow; stop: StopReason; usage: Usage | null; text: string }
  /** `text` is what had been streamed before it failed. */
  | { kind: 'failed'; failure: ModelFailure; text: string };

/** Who hears of an answer while it comes. */
interface AnswerListener {
  signal: AbortSignal;
  /** What is stored and shown of the model's words. */
  cleanText(text: string): string;
  onText(text: string): void;
  onRetry(failure: ModelFailure, waitMs: number): void;
  /** Another model answers from here on. */
  onFellBack(change: FellBack): Promise<void>;
  /** The provider condensed its own view before it answered. */
  onCondensed(compaction: ProviderCompaction): Promise<void>;
}

/** Read one model response to its end; `onText` gets the whole text so far, `onRetry` what is being waited for. */
export async function collectAnswer(
  model: ModelClient,
  request: ModelRequest,
  listen: AnswerListener,
): Promise<CollectedAnswer> {
  const parts: Part[] = [];
  const blocks: string[] = [];
  const cleaned = (): string[] => blocks.map((block) => (block ? listen.cleanText(block) : ''));
  const said = (): string =>
    cleaned()
      .filter((block) => block !== '')
      .join('\n\n');
  for await (const event of model.stream(request, listen.signal)) {
    switch (event.type) {
      case 'text':
        blocks[event.block] = (blocks[event.block] ?? '') + event.text;
        listen.onText(said());
        break;
      case 'tool_call':
        parts.push({ ...event, name: soundName(event.name) });
        break;
      case 'sidecar':
        parts.push({ type: 'sidecar', issuer: event.issuer, item: event.item });
        break;
      case 'retrying':
        listen.onRetry(event.failure, event.waitMs);
        break;
      case 'fell_back': {
        const { type: _type, ...change } = event;
        await listen.onFellBack(change);
        break;
      }
      case 'compaction': {
        const { type: _type, ...compaction } = event;
        await listen.onCondensed(compaction);
        break;
      }
      case 'failed':
        return { kind: 'failed', failure: event.failure, text: said() };
      case 'done':
        return {
          kind: 'answer',
          row: assistantRow(cleaned(), parts),
          stop: event.stop,
          usage: event.usage,
          text: said(),
        };
    }
  }
  return { kind: 'failed', failure: cutOff, text: said() };
}

const cutOff: ModelFailure = {
  kind: 'stream_cut',
  retryable: true,
  message: 'the stream ended without a last event',
};

/** A name that no provider would take back would fail every later request; under a sound one it is no tool of ours. */
function soundName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/** Sidecars first (reasoning precedes what it led to), then the text blocks, then the calls. */
function assistantRow(blocks: readonly (string | undefined)[], others: readonly Part[]): NewRow {
  const sidecars = others.filter((part) => part.type === 'sidecar');
  const calls = others.filter((part) => part.type !== 'sidecar');
  const said = blocks.flatMap((text): Part[] => (text ? [{ type: 'text', text }] : []));
  const parts = [...sidecars, ...said, ...calls];
  return { role: 'assistant', kind: 'assistant', parts, tokens: estimateParts(parts) };
}
