import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readRecording, type RecordedLine } from '@palimpsest/cli';
import { estimateParts, GatewayError, type NewRow, type Part } from '@palimpsest/core';

const recordingFile = '../shared/transcripts/agent/swe-play-trajectories.jsonl';

/**
 * Rows of a real agent's work, repeated until they count `tokens`; the calls of every repeat have ids of their own.
 * throws input_invalid when the recording is not beside the repository
 */
export function longTranscript(folder: string, tokens: number): NewRow[] {
  const file = resolve(folder, recordingFile);
  if (!existsSync(file)) {
    throw new GatewayError(
      'input_invalid',
      `${file} is missing; check out the shared folder beside the repository`,
    );
  }
  const { lines } = readRecording(file);
  const rows: NewRow[] = [];
  for (let repeat = 0, total = 0; ; repeat += 1) {
    for (const line of lines) {
      // A tool result is never the last row: its call would be half answered.
      if (total >= tokens && line.role !== 'tool') return rows;
      const row = rowOf(line, repeat);
      rows.push(row);
      total += row.tokens;
    }
  }
}

function rowOf(line: RecordedLine, repeat: number): NewRow {
  const id = (callId: string): string => `${callId}-${repeat}`;
  const { role } = line;
  const text: Part[] = line.content === '' ? [] : [{ type: 'text', text: line.content }];
  const calls: Part[] = line.toolCalls.map((call) => ({ type: 'tool_call', ...call, id: id(call.id) }));
  const result: Part = {
    type: 'tool_result',
    callId: id(line.toolCallId ?? ''),
    name: line.name ?? 'tool',
    text: line.content,
    isError: false,
  };
  const parts = role === 'tool' ? [result] : [...text, ...calls];
  const kind = role === 'user' ? 'person' : role;
  return { role, kind, parts, tokens: estimateParts(parts), sentAt: new Date(line.ts) };
}
