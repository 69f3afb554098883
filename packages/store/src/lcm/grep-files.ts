/** Search inside large contents, line by line. */
import {
  cleanText,
  type LcmFileGrep,
  type LcmFileHit,
  type LcmFilesFound,
  type LcmRefusal,
  type LcmScope,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, type Transaction } from '../database.ts';
import { limited } from './grep.ts';
import { matchPlace, placeOf, snippetAt } from './grep-ground.ts';
import { guardRegex, looksLikeRegex } from './regex-guard.ts';
import {
  characterBorder,
  fileColumns,
  fileJoin,
  type FileRecord,
  payloadPrefix,
  toFile,
} from './read-files.ts';
import { scopeOf } from './scope.ts';

/** Of each file's beginning. */
const maxBytesOfFile = 512_000;
const maxHitsOfFile = 10;
const maxFiles = 50;

/** A line matches when it holds every word; a regular expression is tried on each line. */
type Condition = { kind: 'words'; words: readonly string[] } | { kind: 'regex'; pattern: string };

export async function grepFiles(
  db: Database,
  scope: LcmScope,
  wish: LcmFileGrep,
): Promise<LcmFilesFound | LcmRefusal> {
  const condition = conditionOf({ ...wish, query: cleanText(wish.query) });
  if (condition.kind === 'refused') return condition;
  return limited(db, async (tx) => {
    const files = await filesInScope(tx, scope, wish.fileIds);
    const texts = files.filter(isText);
    const hits: LcmFileHit[] = [];
    for (const file of texts) {
      if (hits.length >= wish.limit) break;
      hits.push(...(await grepFile(tx, file, condition)));
    }
    return {
      kind: 'found',
      hits: hits.slice(0, wish.limit),
      filesSearched: texts.length,
      filesSkipped: files.length - texts.length,
    };
  });
}

function conditionOf(wish: LcmFileGrep): Condition | LcmRefusal {
  if (wish.query.trim() === '') return { kind: 'refused', reason: 'empty_query' };
  if (wish.mode === 'regex') {
    const guarded = guardRegex(wish.query);
    return guarded.kind === 'refused' ? guarded : { kind: 'regex', pattern: guarded.postgres };
  }
  if (looksLikeRegex(wish.query)) return { kind: 'refused', reason: 'regex_in_full_text' };
  return { kind: 'words', words: termsOf(wish.query) };
}

function isText({ mime }: FileRecord): boolean {
  return (
    mime.startsWith('text/') ||
    /[/+](json|xml|yaml|x-yaml|toml|javascript|typescript|csv|x-sh|sql)$/.test(mime.split(';')[0] ?? '')
  );
}

async function filesInScope(
  tx: Transaction,
  scope: LcmScope,
  fileIds: readonly string[],
): Promise<FileRecord[]> {
  const sessions = await scopeOf(tx, scope);
  const prefixes = fileIds.map(payloadPrefix).filter((prefix) => prefix !== null);
  if (fileIds.length > 0 && prefixes.length === 0) return [];
  return run<FileRecord>(
    tx,
    sql`SELECT ${fileColumns} FROM ${fileJoin}
        WHERE p.session_id = ANY(${sql.param([...sessions])}::text[])
          AND (${prefixes.length === 0}::boolean OR substr(p.id, 1, 16) = ANY(${sql.param(prefixes)}::text[]))
        ORDER BY p.created_at DESC, p.id LIMIT ${maxFiles}::int`,
  );
}

async function grepFile(tx: Transaction, file: FileRecord, condition: Condition): Promise<LcmFileHit[]> {
  const isRegex = condition.kind === 'regex';
  const matches = isRegex
    ? sql`text ~ ${`(?in)${condition.pattern}`}`
    : sql`lower(text) LIKE ALL(${sql.param(condition.words.map(likeOf))}::text[])`;
  const place = isRegex ? matchPlace(condition.pattern) : placeOf(condition.words);
  const rows = await run<{ line: number; byte_offset: number; snippet: string }>(
    tx,
    sql`WITH begun AS (
          SELECT convert_from(substr(p.content, 1, ${characterBorder(sql.raw('p.content'), sql`${maxBytesOfFile}::int`)}), 'UTF8') AS content
          FROM payloads p WHERE p.session_id = ${file.session_id} AND p.id = ${file.payload_id}
        ), line AS (
          SELECT l.text, l.number, coalesce(sum(octet_length(l.text) + 1)
            OVER (ORDER BY l.number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS begins
          FROM begun, string_to_table(begun.content, E'\\n') WITH ORDINALITY AS l(text, number)
        )
        SELECT number::int AS line, begins::bigint AS byte_offset, ${snippetAt(place)} AS snippet FROM line
        WHERE ${matches} ORDER BY number LIMIT ${maxHitsOfFile}::int`,
  );
  const { id, name } = toFile(file);
  return rows.map((row) => ({
    sessionId: file.session_id,
    fileId: id,
    name,
    line: row.line,
    byteOffset: row.byte_offset,
    snippet: row.snippet,
  }));
}

/** Words and "quoted phrases" as they are written: files hold identifiers and paths, which the index would cut up. */
function termsOf(query: string): string[] {
  const terms = [...query.toLowerCase().matchAll(/"([^"]+)"|[^\s"]+/g)].map((match) => match[1] ?? match[0]);
  return [...new Set(terms)].slice(0, 32);
}

function likeOf(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
