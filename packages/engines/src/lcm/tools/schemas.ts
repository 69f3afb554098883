import type { ToolSchema } from '@palimpsest/core';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const number = (description: string) => ({ type: 'integer', description }) as const;
const texts = { type: 'array', items: text } as const;

const where = {
  conversation_id: { ...text, description: 'only this conversation, one you may read' },
  all_conversations: { ...flag, description: 'every conversation you may read; default: this is so' },
} as const;

/** The tools of the lossless engine as a model sees them; the same bytes for every session. */
export const lcmTools: readonly ToolSchema[] = [
  tool(
    'lcm_grep',
    'Find words or a regular expression in the whole history, messages and summaries, also what is no longer shown.',
    ['query'],
    {
      query: { ...text, description: 'words, "a quoted phrase", or with mode regex an expression' },
      mode: { type: 'string', enum: ['full_text', 'regex'] },
      include_messages: flag,
      include_summaries: flag,
      limit: number('hits, 1 to 100, default 20'),
      since: { ...text, description: 'ISO time, inclusive' },
      before: { ...text, description: 'ISO time, exclusive' },
      sort: { type: 'string', enum: ['recency', 'relevance', 'hybrid'] },
      scope: { type: 'string', enum: ['messages', 'summaries', 'both', 'files'] },
      file_ids: { ...texts, description: 'with scope files' },
      ...where,
    },
  ),
  tool(
    'lcm_describe',
    'How the history of this conversation is kept; or, with an id, what lies under a summary or file and what opening it costs.',
    [],
    {
      include_stats: flag,
      include_recent: flag,
      id: { ...text, description: 'sum_… or file_…, or the line that names it' },
      token_cap: number('what you can spend: each part is marked as fitting or not, the text is cut there'),
      expand_file: { ...flag, description: 'show the text of the file' },
      expand_file_max_bytes: number('1024 to 512000, default 32768'),
      start_line: number('first line of the file'),
      end_line: number('last line of the file'),
    },
  ),
  tool(
    'lcm_expand',
    'Open a message or summary word for word, or the best hits for a topic.',
    ['target_type'],
    {
      target_type: { type: 'string', enum: ['message', 'summary', 'related'] },
      target_id: { ...text, description: 'number of a message, or sum_… of a summary' },
      summary_ids: texts,
      query: { ...text, description: 'with target_type related' },
      limit: number('with related: hits, 1 to 50, default 10'),
      offset: number('with message: read on from this character'),
      max_depth: number('with summary: levels to go down, default 3'),
      token_cap: number('most tokens of the answer'),
      include_messages: { ...flag, description: 'with summary: the messages under it too' },
      ...where,
    },
  ),
  tool(
    'lcm_expand_query',
    'Let the history be read for you: one answer to one question from the opened summaries, with the ids it rests on.',
    ['prompt'],
    {
      prompt: { ...text, description: 'the question' },
      query: { ...text, description: 'words to find the place by; or summary_ids' },
      summary_ids: texts,
      max_tokens: number('tokens of the answer, default 2000'),
      token_cap: number('tokens that are opened, default 4000'),
      timeout_ms: number('at most this long'),
      ...where,
    },
  ),
];

function tool(
  name: string,
  description: string,
  ...[required, properties]: [required: readonly string[], properties: Record<string, unknown>]
): ToolSchema {
  return { name, description, parameters: { type: 'object', properties, required } };
}
