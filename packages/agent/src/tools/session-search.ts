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
        },
      },
    },
    async run(input, scope) {
      const around = input['around_message_id'];
      if (typeof around === 'number' && Number.isInteger(around)) {
        return answer(
          (await transcript.around(scope.session.id, around, scrollNeighbours)).map((row) =>
            line(row, timezone),
          ),
        );
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

function line(row: MessageRow, timezone: string): string {
  const said = textOfParts(row.parts.filter((part) => part.type !== 'header')).trim();
  const text = said.length > lineLimit ? `${said.slice(0, lineLimit).toWellFormed()}…` : said;
  return `[${formatTime(row.sentAt, timezone)}] ${row.sender?.name ?? row.role} (id ${row.id}): ${text}`;
}
