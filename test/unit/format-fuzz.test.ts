/** Whatever a model writes: no platform refuses it, nothing of it is lost, it always comes to an end. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PartContent } from '@palimpsest/core';
import { splitForDiscord } from '../../packages/platforms/src/discord/split-for-discord.ts';
import { splitForTelegram } from '../../packages/platforms/src/telegram/split-for-telegram.ts';
import { renderMarkdown } from '../../packages/platforms/src/text/render-markdown.ts';
import { readText } from '../../packages/testkit/src/telegram/text/read-text.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz-runs.ts';
import { markdownDocuments } from '../support/markdown-arbitrary.ts';
import { readDiscord } from '../support/read-discord.ts';

const numRuns = fuzzRuns(400);
const options = { markup: 'markdown', fileOverParts: 0 } as const;
/** The address of the generated links, where Discord takes their label for an address itself. */
const behindLabel = ' (https://example.com/path_%28x%29)';
const timeoutMs = Math.max(60_000, numRuns * 100);

describe(`${numRuns} documents`, () => {
  test(
    'Telegram takes every part; they are stretches of the text with only white space between them',
    { timeout: timeoutMs },
    () => {
      check((text) => {
        const parts = splitForTelegram(text, options);
        for (const part of parts) expectTaken(part);
        expectStretches(
          parts.map((part) => part.text),
          renderMarkdown(text).text,
        );
      });
    },
  );

  test(
    'Discord takes every part, code blocks are closed in each, and people see what they see on Telegram',
    { timeout: timeoutMs },
    () => {
      check((text) => {
        const parts = splitForDiscord(text, options).map((part) => part.text);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(1_930);
          expect(part.trim()).not.toBe('');
          expect(part.split('\n').filter((line) => /^(?:> )?```/.test(line)).length % 2).toBe(0);
        }
        const seen = parts.map((part) => readDiscord(part).text.replaceAll(behindLabel, '')).join('\n');
        if (seen !== '(empty message)') expect(visible(seen)).toBe(visible(renderMarkdown(text).text));
      });
    },
  );

  test('a repeated attempt gives the same parts', () => {
    check((text) => {
      expect(splitForTelegram(text, options)).toEqual(splitForTelegram(text, options));
      expect(splitForDiscord(text, options)).toEqual(splitForDiscord(text, options));
    }, 50);
  });
});

function check(holds: (text: string) => void, runs = numRuns): void {
  fc.assert(fc.property(markdownDocuments, holds), { numRuns: runs, seed: fuzzSeed() });
}

/** By the strict counterpart's own rules, which throw what the server answers. */
function expectTaken(part: PartContent): void {
  const entities = entitiesOf(part);
  expect(part.text.length).toBeLessThanOrEqual(4_032);
  expect(entities.length).toBeLessThanOrEqual(100);
  readText({ text: part.text, entities }, 'message is too long');
  expectNesting(entities);
}

function expectStretches(parts: readonly string[], whole: string): void {
  let position = 0;
  for (const part of parts.filter((text) => text !== '(empty message)')) {
    const start = whole.indexOf(part, position);
    expect(visible(whole.slice(position, start === -1 ? undefined : start))).toBe('');
    position = start + part.length;
  }
  expect(visible(whole.slice(position))).toBe('');
}

function entitiesOf({ form }: PartContent) {
  return form?.kind === 'entities' ? form.entities : [];
}

/** One lies in the other or they do not touch; code holds nothing and stands only in quotes; quotes and links hold none of their kind. */
function expectNesting(entities: ReturnType<typeof entitiesOf>): void {
  const problems = entities.flatMap((outer, index) =>
    entities.slice(index + 1).filter((inner) => {
      const end = outer.offset + outer.length;
      if (inner.offset >= end) return false;
      const isCode = (type: string): boolean => type === 'code' || type === 'pre';
      return (
        inner.offset + inner.length > end ||
        outer.type === inner.type ||
        isCode(outer.type) ||
        (isCode(inner.type) && outer.type !== 'blockquote')
      );
    }),
  );
  expect(problems).toEqual([]);
}

function visible(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '');
}
