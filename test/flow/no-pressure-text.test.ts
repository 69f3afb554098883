/** Decision 15: no prompt tells the model that its context fills up; the one notice is that a summary stands above. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { readRecording, type Recording } from '../../apps/cli/src/index.ts';
import { recordedModel } from '../../apps/cli/src/replay/recorded-model.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { sharedPath } from '../support/shared.ts';

const recordingFile = sharedPath('transcripts/chat/locomo-conv-26.jsonl');
const exchanges = 90;

/** Ways in which programs press a model to hurry, to be brief or to tidy up. */
const pressure: readonly RegExp[] = [
  /\d{1,3}(\.\d+)? ?%[^.\n]{0,40}\b(context|window|tokens?|capacity|budget)\b/i,
  /\b(context|window|tokens?|capacity|budget)\b[^.\n]{0,40}\d{1,3}(\.\d+)? ?%/i,
  /\btokens?\b[^.\n]{0,30}\b(left|remain(s|ing)?|used|available)\b/i,
  /\b(running|run) (out|low)\b/i,
  /\b(context|window|conversation|history|prompt)\b[^.\n]{0,40}\b(is|gets?|getting|nearly|almost|too) (full|large|long|near|close)/i,
  /\b(context|token|window) (pressure|limit|budget|usage|warning)\b/i,
  /\b(will|must|should|about to|going to) (soon )?be (compacted|compressed|truncated|cut|pruned|summari[sz]ed)\b/i,
  /\b(compress|compact|prune|tidy up|summari[sz]e)\b[^.\n]{0,30}\b(now|soon|early|immediately|before)\b/i,
  /\b(wrap up|be brief|be concise|keep (it|your answers?) short)\b/i,
];

function pressureIn(text: string): string[] {
  return pressure.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
}

/** What the service wrote itself: everything but the recorded lines. */
function ownWords(request: ScriptRequest, recorded: readonly string[]): string {
  const texts = [request.system, ...request.messages.map((message) => message.text)];
  return texts
    .map((text) =>
      recorded.reduce((rest, line) => (rest.includes(line) ? rest.replaceAll(line, '') : rest), text),
    )
    .join('\n');
}

function recordedTexts(recording: Recording): string[] {
  const texts = recording.lines.map((line) => line.content.trim()).filter((text) => text !== '');
  return [...new Set(texts)].toSorted((one, other) => other.length - one.length);
}

test.each([
  'Context usage: 81 %',
  'You have used 81 % of the context window.',
  'Only 4,000 tokens remaining.',
  'The conversation is getting long; wrap up.',
  'Older messages will soon be compacted.',
  'Compress stale ranges now.',
])('the net catches: %s', (text) => {
  expect(pressureIn(text)).not.toEqual([]);
});

test.skipIf(recordingFile.missing)(
  'in a replay that compacts again and again no prompt holds a word of pressure',
  async () => {
    const recording = readRecording(recordingFile.path);
    const answer = recordedModel(recording);
    const recorded = recordedTexts(recording);
    const prompts: string[] = [];
    await using world = await openTurnWorld({
      window: 8_000,
      script: (request) => {
        prompts.push(ownWords(request, recorded));
        return answer(request);
      },
    });

    const isAnswer = (text: string): boolean => !text.startsWith('ℹ️');
    for (const [index, exchange] of recording.exchanges.slice(0, exchanges).entries()) {
      await world.say(exchange.user.map((line) => line.content).join('\n\n'));
      await world.hear(index + 1, isAnswer);
    }

    const compactions = await world.store.compactions.ledger({ limit: 100 });
    expect(prompts.length).toBeGreaterThanOrEqual(exchanges);
    expect(compactions.filter((row) => row.outcome === 'success').length).toBeGreaterThan(1);
    expect(prompts.at(-1)).toContain('[Note: Some earlier conversation turns have been compacted');
    expect(prompts.flatMap(pressureIn)).toEqual([]);
    expect(world.model.violations).toEqual([]);
  },
  120_000,
);
