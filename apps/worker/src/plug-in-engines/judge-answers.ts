/** Whether what a plug-in answered has the shape that the path can work with. Nothing of it is trusted. */
import type { TranscriptView } from '@palimpsest/core';

type Fields = Record<string, unknown>;

const figures = [
  'tokensBefore',
  'tokensAfter',
  'rowsBefore',
  'rowsAfter',
  'rowsArchived',
  'rowsProtected',
  'rowsDroppedWithoutSummary',
  'toolResultsPruned',
  'summaryTokens',
  'summaryCalls',
  'summaryInputTokens',
  'summaryOutputTokens',
] as const;
/** What both dialects take as the name of a tool. */
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
/** Our own tools, which an engine cannot stand in for. */
const ownTools = ['session_search', 'read_payload', 'send_file'];

export function anything(): boolean {
  return true;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isDecision(answer: unknown): boolean {
  return isObject(answer) && ['no', 'prepare', 'now'].includes(String(answer['kind']));
}

/** A prompt out of nothing is sound only where there is nothing. */
export function isAssembled(answer: unknown, view: TranscriptView): boolean {
  if (!isObject(answer) || !Array.isArray(answer['messages'])) return false;
  const messages: unknown[] = answer['messages'];
  return (messages.length > 0 || view.rows.length === 0) && messages.every(isMessage);
}

/** A plan, or the word that there is none. */
export function isMade(answer: unknown, view: TranscriptView): boolean {
  if (!isObject(answer)) return false;
  if (answer['kind'] === 'none')
    return typeof answer['outcome'] === 'string' && typeof answer['reason'] === 'string';
  if (answer['kind'] !== 'plan') return false;
  const live = new Set<unknown>(view.rows.map((row) => row.id));
  const { archive, write, figures: counted } = answer;
  return (
    Array.isArray(archive) &&
    archive.every((id) => live.has(id)) &&
    Array.isArray(write) &&
    write.every((row) => isPlannedRow(row, live)) &&
    isObject(counted) &&
    figures.every((name) => Number.isFinite(counted[name])) &&
    ['api', 'estimate'].includes(String(counted['tokensBeforeSource'])) &&
    typeof counted['escalation'] === 'string'
  );
}

export function isToolSchemas(answer: unknown): boolean {
  return (
    Array.isArray(answer) &&
    answer.every(
      (schema: unknown) =>
        isObject(schema) &&
        toolName.test(String(schema['name'])) &&
        !ownTools.includes(String(schema['name'])) &&
        typeof schema['description'] === 'string' &&
        isObject(schema['parameters']),
    )
  );
}

export function isToolEnd(answer: unknown): boolean {
  return isObject(answer) && isObject(answer['result']) && typeof answer['result']['text'] === 'string';
}

export function isEngineStatus(answer: unknown): boolean {
  return (
    isObject(answer) &&
    ['triggerTokens', 'prepareTokens', 'hardLimitTokens'].every((name) => Number.isFinite(answer[name])) &&
    (answer['thresholdRaw'] === undefined || Number.isFinite(answer['thresholdRaw'])) &&
    Array.isArray(answer['lines'])
  );
}

export function isMeasured(answer: unknown): boolean {
  return isObject(answer) && Number.isFinite(answer['tokens']) && Number.isFinite(answer['rows']);
}

function isMessage(message: unknown): boolean {
  return (
    isObject(message) &&
    ['user', 'assistant', 'tool'].includes(String(message['role'])) &&
    Array.isArray(message['parts']) &&
    message['parts'].every((part: unknown) => isObject(part) && typeof part['type'] === 'string')
  );
}

/** A row must have a place among the rows there are. */
function isPlannedRow(row: unknown, live: ReadonlySet<unknown>): boolean {
  return (
    isMessage(row) &&
    isObject(row) &&
    isObject(row['place']) &&
    live.has(row['place']['kind'] === 'range' ? row['place']['lastRowId'] : row['place']['rowId']) &&
    Number.isFinite(row['tokens']) &&
    typeof row['kind'] === 'string'
  );
}
