import {
  saidInParts,
  type MessageRow,
  type Tool,
  type ToolResult,
  type TranscriptStore,
} from '@palimpsest/core';
import { packHits } from './session-search-answer.ts';
import { messageLine } from './session-search-line.ts';

const defaultLimit = 10;
const maxLimit = 20;
const neighbours = 3;
const scrollNeighbours = 12;
/** Of the answer. */
const tokens = { otherwise: 1_500, least: 200, most: 8_000 } as const;
/** One line of the lines around a message is cut here. */
const lineLimit = 1_500;
/** One message read by offset: this much at a time. */
const pageLimit = 8_000;

/**
 * Words and "quoted phrases" over live and archived rows the session may see, with the neighbouring lines; or, with
 * `around_message_id`, the lines around one hit. Read-only, so a crash may repeat it.
 */
export function sessionSearch(transcript: TranscriptStore, timezone: string): Tool {
  return {
    repeatable: true,
    schema: {
      name: 'session_search',
      description:
        'Search everything said in this conversation, also what was archived by compaction. ' +
        'Give the question or its distinctive words, a "quoted phrase", an identifier, a date; or around_message_id from a former hit to read on from there.',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'words or "quoted phrases" to look for' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: maxLimit,
            description: `hits at most, default ${defaultLimit}`,
          },
          max_tokens: {
            type: 'integer',
            minimum: tokens.least,
            maximum: tokens.most,
            description: `size of the answer, default ${tokens.otherwise}`,
          },
          around_message_id: { type: 'integer', description: 'read the lines around this message instead' },
          offset: {
            type: 'integer',
            minimum: 0,
            description: 'with around_message_id: read that one message whole, from this character on',
          },
        },
      },
    },
    async run(input, scope) {
      const around = input['around_message_id'];
      if (typeof around === 'number' && Number.isInteger(around)) {
        const from = input['offset'];
        if (typeof from === 'number' && from >= 0) {
          const [row] = await transcript.around(scope.session.id, around, 0);
          return row ? page(row, Math.floor(from)) : answer([]);
        }
        const rows = await transcript.around(scope.session.id, around, scrollNeighbours);
        return answer(rows.map((row) => messageLine(row, { timezone, from: 0, limit: lineLimit })));
      }
      const query = input['query'];
      if (typeof query !== 'string' || query.trim() === '') {
        return {
          text: 'session_search needs "query" (words) or "around_message_id" (a number)',
          isError: true,
        };
      }
      const limit = wholeNumber(input['limit'], { otherwise: defaultLimit, least: 1, most: maxLimit });
      const options = { limit, neighbours, liveOfOwnSession: false };
      const hits = await transcript.search({ sessionId: scope.session.id }, query, options);
      return answer(packHits(hits, { timezone, maxTokens: wholeNumber(input['max_tokens'], tokens) }));
    },
  };
}

function wholeNumber(value: unknown, range: { otherwise: number; least: number; most: number }): number {
  return typeof value === 'number' && Number.isInteger(value)
    ? Math.min(range.most, Math.max(range.least, value))
    : range.otherwise;
}

function answer(blocks: readonly string[]): ToolResult {
  return {
    text: blocks.length === 0 ? 'Nothing found. Try other or fewer words.' : blocks.join('\n\n'),
    isError: false,
  };
}

/** One message, a page of it: what a line of a hit cuts off can be read on. */
function page(row: MessageRow, from: number): ToolResult {
  const said = saidInParts(row.parts);
  const end = Math.min(said.length, from + pageLimit);
  const more = end < said.length ? `\n[more: offset ${end} of ${said.length}]` : '\n[end]';
  return { text: said.slice(from, end).toWellFormed() + more, isError: false };
}
