import { isJson, objectsOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { CacheTtl } from '../prompt-chain.ts';
import type { Problems } from './problems.ts';

const MAXIMUM = 4;
const CACHEABLE = new Set(['text', 'image', 'document', 'search_result', 'tool_use', 'tool_result']);

interface Place {
  readonly path: string;
  readonly holder: Json;
}

/** The lifetime a mark asks for; undefined where there is none. */
export function markOf(holder: Json): CacheTtl | undefined {
  const mark = holder['cache_control'];
  if (!isJson(mark)) return undefined;
  return mark['ttl'] === '1h' ? '1h' : '5m';
}

/** Is the block one that an automatic mark may land on? */
export function takesMark(block: Json): boolean {
  const type = textOf(block['type']);
  return CACHEABLE.has(type) && !(type === 'text' && textOf(block['text']) === '');
}

/** At most four marks, well formed, never inside a tool result's content, 1h before 5m. */
export function* markerProblems(body: Json): Problems {
  const marked = places(body).filter(({ holder }) => markOf(holder) !== undefined);
  for (const { path, holder } of marked) yield* shapeProblems(holder['cache_control'], path);
  yield* nestedProblems(body);
  const automatic = markOf(body);
  const total = marked.length + (automatic === undefined ? 0 : 1);
  if (automatic !== undefined) yield* automaticProblems(body, automatic, marked.length);
  else if (total > MAXIMUM) {
    yield `A maximum of ${MAXIMUM} blocks with cache_control may be provided. Found ${total}.`;
  }
  const firstShort = marked.findIndex(({ holder }) => markOf(holder) === '5m');
  const late = marked.find(({ holder }, at) => firstShort >= 0 && at > firstShort && markOf(holder) === '1h');
  if (late !== undefined) {
    yield `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`;
  }
}

/** All holders in the order the service reads them. Marks on thinking blocks are refused as unknown fields already. */
function places(body: Json): readonly Place[] {
  const of = (list: unknown, path: string): Place[] =>
    objectsOf(list).map((holder, at) => ({ path: `${path}.${at}`, holder }));
  return [
    ...of(body['tools'], 'tools'),
    ...of(body['system'], 'system'),
    ...objectsOf(body['messages']).flatMap((message, at) => of(message['content'], `messages.${at}.content`)),
  ];
}

function* shapeProblems(mark: unknown, path: string): Problems {
  if (!isJson(mark)) return;
  if (mark['type'] !== 'ephemeral') yield `${path}.cache_control.type: Input should be 'ephemeral'`;
  const ttl = mark['ttl'];
  if (ttl !== undefined && ttl !== '5m' && ttl !== '1h') {
    yield `${path}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'`;
  }
  const extra = Object.keys(mark).find((name) => name !== 'type' && name !== 'ttl');
  if (extra !== undefined) yield `${path}.cache_control.ephemeral.${extra}: Extra inputs are not permitted`;
}

function* nestedProblems(body: Json): Problems {
  for (const { path, holder } of places(body)) {
    if (holder['type'] !== 'tool_result') continue;
    if (objectsOf(holder['content']).some((part) => markOf(part) !== undefined)) {
      yield `${path}.tool_result.content: cache_control belongs on the tool_result block, not inside its content`;
    }
  }
}

function* automaticProblems(body: Json, automatic: CacheTtl, explicit: number): Problems {
  yield* shapeProblems(body['cache_control'], 'request');
  if (explicit >= MAXIMUM) {
    yield `A maximum of ${MAXIMUM} blocks with cache_control may be provided. Found ${explicit + 1}.`;
  }
  const last = objectsOf(objectsOf(body['messages']).at(-1)?.['content']).at(-1);
  const own = last === undefined ? undefined : markOf(last);
  if (own !== undefined && own !== automatic) {
    yield `cache_control: the last block already has cache_control with ttl='${own}', which differs from ttl='${automatic}'`;
  }
}
