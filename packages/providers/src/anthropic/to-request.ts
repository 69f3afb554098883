import type Anthropic from '@anthropic-ai/sdk';
import type { ModelRequest } from '@palimpsest/core';

import { cacheControl } from '../prompt-cache/cache-control.ts';
import type { CacheTtl } from '../prompt-cache/cache-control.ts';
import { chooseMarks } from '../prompt-cache/choose-marks.ts';
import type { CacheMessage } from '../prompt-cache/choose-marks.ts';
import { toWireMessages } from './to-blocks.ts';
import type { WireBlock, WireMessage } from './to-blocks.ts';

type Body = Anthropic.MessageCreateParamsStreaming;
type BlockParam = Anthropic.ContentBlockParam;

/** The body of a streamed request. Pure: the same request gives the same bytes. */
export function toRequest(
  request: ModelRequest,
  route: { model: string; issuer: string; cacheTtl: CacheTtl | null },
): Body {
  const system = request.system.filter((text) => text.trim() !== '');
  const messages = toWireMessages(request.messages, route.issuer);
  const body: Body = {
    model: route.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(system.length > 0 ? { system: system.map((text) => ({ type: 'text' as const, text })) } : {}),
    messages: messages.map(({ role, blocks }) => ({
      role,
      content: blocks.map((block): BlockParam => ({ ...block })),
    })),
    ...(request.tools.length > 0 ? { tools: request.tools.map(toTool) } : {}),
  };
  if (route.cacheTtl) mark(body, messages, route.cacheTtl);
  return body;
}

function toTool(tool: ModelRequest['tools'][number]): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.parameters, type: 'object' },
  };
}

/** Marks on the body just built; nothing of the caller's is touched. */
function mark(body: Body, messages: readonly WireMessage[], ttl: CacheTtl): void {
  const system = Array.isArray(body.system) ? body.system : [];
  const marks = chooseMarks(
    system.map(() => true),
    messages.map(asCacheMessage),
  );
  const control = cacheControl(ttl);
  const marked = marks.system === null ? undefined : system[marks.system];
  if (marked) marked.cache_control = control;
  for (const { message, block } of marks.messages) {
    const content = body.messages[message]?.content;
    const carrier = Array.isArray(content) ? content[block] : undefined;
    if (carrier && 'type' in carrier && isCarrier(carrier)) carrier.cache_control = control;
  }
}

type Carrier = Anthropic.TextBlockParam | Anthropic.ToolUseBlockParam | Anthropic.ToolResultBlockParam;

function isCarrier(block: BlockParam): block is Carrier {
  return block.type === 'text' || block.type === 'tool_use' || block.type === 'tool_result';
}

function asCacheMessage(message: WireMessage, index: number, all: readonly WireMessage[]): CacheMessage {
  return {
    carriers: message.blocks.map(({ type }) => type !== 'thinking' && type !== 'redacted_thinking'),
    openCalls: message.role === 'assistant' && hasOpenCalls(message.blocks, all[index + 1]),
  };
}

function hasOpenCalls(blocks: readonly WireBlock[], next: WireMessage | undefined): boolean {
  const answered = new Set(
    (next?.blocks ?? []).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  );
  return blocks.some((block) => block.type === 'tool_use' && !answered.has(block.id));
}
