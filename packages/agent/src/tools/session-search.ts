import {
  textOfParts,
  type MessageRow,
  type SearchHit,
  type Tool,
  type ToolResult,
  type TranscriptStore,
} from '@palimpsest/core';
import { formatTime } from '../render-person.ts';

const defaultLimit = 5;
const maxLimit = 20;
const neighbours = 3;
const scrollNeighbours = 12;
/** One line of the answer is cut here; the row id lets the model read around it. */
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
        'Give a few distinctive words or a "quoted phrase"; or around_message_id from a former hit to read on from there.',
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
        return answer(rows.map((row) => line(row, timezone)));
      }
      const query = input['query'];
      if (typeof query !== 'string' || query.trim() === '') {
        return {
          text: 'session_search needs "query" (words) or "around_message_id" (a number)',
          isError: true,
        };
      }
      const options = { limit: limitOf(input['limit']), neighbours, liveOfOwnSession: false };
      const hits = await transcript.search({ sessionId: scope.session.id }, query, options);
      return answer(hits.map((hit) => describe(hit, timezone)));
    },
  };
}

function limitOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value)
    ? Math.min(maxLimit, Math.max(1, value))
    : defaultLimit;
}

function answer(blocks: readonly string[]): ToolResult {
  return {
    text: blocks.length === 0 ? 'Nothing found. Try other or fewer words.' : blocks.join('\n\n'),
    isError: false,
  };
}

function describe(hit: SearchHit, timezone: string): string {
  const lines = [...hit.before, hit.row, ...hit.after].map(
    (row) => (row.id === hit.row.id ? '> ' : '  ') + line(row, timezone),
  );
  return `message ${hit.row.id} (${hit.state}):\n${lines.join('\n')}`;
}

/** One message, a page of it: what a line of a hit cuts off can be read on. */
function page(row: MessageRow, from: number): ToolResult {
  const said = saidIn(row);
  const end = Math.min(said.length, from + pageLimit);
  const more = end < said.length ? `\n[more: offset ${end} of ${said.length}]` : '\n[end]';
  return { text: said.slice(from, end).toWellFormed() + more, isError: false };
}

function saidIn(row: MessageRow): string {
  return textOfParts(row.parts.filter((part) => part.type !== 'header')).trim();
}

function line(row: MessageRow, timezone: string): string {
  const said = saidIn(row);
  const isLong = said.length > lineLimit;
  const text = isLong
    ? `${said.slice(0, lineLimit).toWellFormed()}… [cut; offset ${lineLimit} reads on]`
    : said;
  return `[${formatTime(row.sentAt, timezone)}] ${row.sender?.name ?? row.role} (id ${row.id}): ${text}`;
}
