import { estimateOverhead } from '@palimpsest/core';
import type { ModelRequest } from '@palimpsest/core';

import type { Route } from '../route.ts';
import { ToolIds } from '../tool-ids.ts';
import { contextManagement } from './native-compaction.ts';
import { estimateItems, replayCheckpoint, replayLimits } from './replay-checkpoint.ts';
import type { CheckpointItem, InputItem, MessageItem, ReasoningItem } from './response-item.ts';
import { toItems } from './to-items.ts';

/** The service refuses a smaller limit of the answer. */
const smallestAnswerTokens = 16;

/** The body of a streamed request, as far as we use the wire. */
export interface ResponsesBody {
  model: string;
  stream: true;
  /** Nothing stays at the service; what it needs comes back with each request. */
  store: false;
  include: ['reasoning.encrypted_content'];
  input: InputItem[];
  max_output_tokens?: number;
  prompt_cache_key?: string;
  tools?: { type: 'function'; name: string; description: string; parameters: object; strict: false }[];
  tool_choice?: 'auto';
  parallel_tool_calls?: true;
  context_management?: { type: 'compaction'; compact_threshold: number }[];
}

/** A body and what is to be known of it afterwards. */
export interface BuiltBody {
  body: ResponsesBody;
  /** Opaque items in it. */
  sealed: (ReasoningItem | CheckpointItem)[];
  /** The service condensed before: the rows do not tell the size of this prompt. */
  hasCheckpoint: boolean;
  /** Rough tokens of the next prompt if the service condenses now. */
  tokensIfCondensed: number;
}

export interface BodyWishes {
  /** Opaque items that the service refused before stay at home. */
  isRefused(item: ReasoningItem | CheckpointItem): boolean;
  /** The service may be asked to condense. */
  native: boolean;
}

/**
 * system prompt (a message) → items in order, from the newest checkpoint on where there is one.
 * The Codex service puts `instructions` behind the input, which ruins its cache: no route uses them.
 * Pure: the same request gives the same bytes.
 */
export function toBody(request: ModelRequest, route: Route, wishes: BodyWishes): BuiltBody {
  const { issuer, windowTokens } = route.info;
  const context = { issuer, isRefused: wishes.isRefused, ids: new ToolIds(), images: request.images };
  const items = request.messages.flatMap((message) => toItems(message, context));
  const limits = replayLimits(windowTokens);
  const sent = replayCheckpoint(items, limits);
  const management = wishes.native ? contextManagement(request, route.nativeCompaction) : null;
  const body: ResponsesBody = {
    model: route.wireModel,
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    input: [...systemItems(request.system, route), ...sent],
    // The Codex service refuses a limit of the answer.
    ...(route.wire === 'codex_responses'
      ? {}
      : { max_output_tokens: Math.max(smallestAnswerTokens, request.maxTokens) }),
    ...cacheKey(request, route),
    ...(request.tools.length > 0 ? { tools: request.tools.map(toTool) } : {}),
    ...(request.tools.length > 0 && route.wire === 'codex_responses'
      ? { tool_choice: 'auto' as const, parallel_tool_calls: true as const }
      : {}),
    ...(management ? { context_management: management } : {}),
  };
  const condensed = replayCheckpoint([...items, { type: 'compaction', encrypted_content: '-' }], limits);
  return {
    body,
    sealed: sent.filter((item) => item.type === 'reasoning' || item.type === 'compaction'),
    hasCheckpoint: sent.some(({ type }) => type === 'compaction'),
    tokensIfCondensed: estimateOverhead(request.system, request.tools) + estimateItems(condensed),
  };
}

/** Servers of others know only the older name of the role. */
function systemItems(system: readonly string[], route: Route): MessageItem[] {
  const role = route.provider === 'openai' || route.provider === 'openai-codex' ? 'developer' : 'system';
  return system
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'message', role, content: [{ type: 'input_text', text }] }));
}

/** Requests of one session go to the machine that holds its prefix; summaries have no prefix in common. */
function cacheKey(request: ModelRequest, route: Route): { prompt_cache_key?: string } {
  const isOwn = route.provider === 'openai' || route.provider === 'openai-codex';
  return isOwn && request.purpose === 'turn' ? { prompt_cache_key: request.sessionId } : {};
}

function toTool(tool: ModelRequest['tools'][number]): NonNullable<ResponsesBody['tools']>[number] {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.parameters },
    // Left out, the service rewrites the schema into its strict form, which optional fields do not pass.
    strict: false,
  };
}
