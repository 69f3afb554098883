/** Pictures that leave the prompt are counted, and what a line of the ledger tells operators. */
import { estimateParts, type LedgerRow, type NewRow, type Part } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { ledgerLine } from '../../apps/cli/src/session/lines.ts';
import { planFor } from '../support/compress.ts';
import {
  answerRow,
  callRow,
  MemoryTranscript,
  resultRow,
  userRow,
  words,
} from '../support/memory-transcript.ts';
import { someFigures } from '../support/plans.ts';

function image(name: string, mime = 'image/png'): Part {
  return { type: 'payload', payloadId: name, mime, bytes: 50_000, preview: `photo ${words(60)}` };
}

function withPart(row: NewRow, part: Part): NewRow {
  const parts = [...row.parts, part];
  return { ...row, parts, tokens: estimateParts(parts) };
}

/** Three pictures among old lines, a file that is none, and three pictures in the newest rows. */
function album(): MemoryTranscript {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < 40; index++) {
    const said = userRow(`line ${index} ${words(150)}`);
    const part = index === 8 ? image('report', 'application/pdf') : image(`old-${index}`);
    transcript.append([5, 6, 7, 8].includes(index) ? withPart(said, part) : said);
    transcript.append(answerRow(`answer ${index} ${words(150)}`));
  }
  for (const name of ['one', 'two']) {
    transcript.append(withPart(userRow(`look at ${name}`), image(`new-${name}`)));
    transcript.append(callRow([{ id: `call-${name}` }]));
    transcript.append(withPart(resultRow(`call-${name}`, 'taken'), image(`shot-${name}`)));
    transcript.append(answerRow('seen'));
  }
  return transcript;
}

const imagesIn = (transcript: MemoryTranscript): number =>
  transcript.rows
    .flatMap((row) => row.parts)
    .filter((part) => part.type === 'payload' && part.mime.startsWith('image/')).length;

test.each([
  // The newest of the person and the newest of a tool stay.
  ['lean', 5, 2],
  // The tail stays byte for byte.
  ['legacy', 3, 4],
] as const)(
  '%s: of seven pictures %i leave the prompt and the figures say so',
  async (tail_mode, dropped, left) => {
    const transcript = album();
    const before = imagesIn(transcript);

    const plan = await planFor(transcript, { windowTokens: 64_000, config: { tail_mode } });
    transcript.apply(plan);

    expect([before, plan.figures.imagesDropped, imagesIn(transcript)]).toEqual([7, dropped, left]);
  },
);

test.each([
  [undefined, 'messages'],
  [0, 'messages'],
  [1, 'messages, 1 image dropped'],
  [2, 'messages, 2 images dropped'],
])('the line of the ledger with %s dropped pictures ends in %j', (imagesDropped, end) => {
  const row = {
    id: 7,
    startedAt: new Date('2026-03-02T12:00:00Z'),
    layer: 'agent',
    trigger: 'threshold',
    outcome: 'success',
    reason: 'none',
    figures: { ...someFigures, imagesDropped },
  } as unknown as LedgerRow;

  expect(ledgerLine(row)).toBe(
    `     7  2026-03-02T12:00:00.000Z  agent/threshold: success, 9,000 → 3,000 tokens, 8 → 4 ${end}`,
  );
});

test('the line says how far the attempt went, what the summary cost, what it left of the cache and who waited', () => {
  const row = {
    id: 9,
    startedAt: new Date('2026-03-02T12:00:00Z'),
    layer: 'hygiene',
    trigger: 'hygiene',
    strategy: 'local',
    outcome: 'success',
    reason: 'none',
    figures: { ...someFigures, summaryDollars: 0.0125 },
    cacheShareBefore: 0.912,
    cacheShareAfter: 0.08,
    messagesDeferred: 2,
  } as unknown as LedgerRow;

  expect(ledgerLine(row)).toBe(
    '     9  2026-03-02T12:00:00.000Z  hygiene/hygiene local: success, 9,000 → 3,000 tokens, 8 → 4 messages, summary $0.013, cache 91 % → 8 %, 2 messages waited',
  );
});

test('an attempt that changed nothing says why in its line', () => {
  const row = {
    id: 8,
    startedAt: new Date('2026-03-02T12:00:00Z'),
    layer: 'background',
    trigger: 'prepared',
    outcome: 'failed',
    reason: 'summary_timeout',
    message: 'the summary was not done after 600 s',
    figures: null,
  } as unknown as LedgerRow;

  expect(ledgerLine(row)).toBe(
    '     8  2026-03-02T12:00:00.000Z  background/prepared: failed (summary_timeout); the summary was not done after 600 s',
  );
});
