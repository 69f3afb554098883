import type Anthropic from '@anthropic-ai/sdk';
import type { ModelRequest } from '@palimpsest/core';

import { cacheControl } from '../prompt-cache/cache-control.ts';
import type { CachePolicy } from '../prompt-cache/cache-policy.ts';
import { chooseMarks } from '../prompt-cache/choose-marks.ts';
import type { CacheMessage, CacheMarks } from '../prompt-cache/choose-marks.ts';
import { isSmallPrefix } from '../prompt-cache/small-prefix.ts';
import { toWireMessages } from './to-blocks.ts';
import type { WireBlock, WireMessage } from './to-blocks.ts';

type Body = Anthropic.MessageCreateParamsStreaming;
type BlockParam = Anthropic.ContentBlockParam;

/** The body of a streamed request. Pure: the same request gives the same bytes. */
export function toRequest(
  request: ModelRequest,
  route: { model: string; issuer: string; cache: CachePolicy | null },
): Body {
  const system = request.system.filter((text) => text.trim() !== '');
  const messages = toWireMessages(request.messages, route.issuer, request.images);
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
  if (route.cache) mark(body, marksOf(request, messages, route.cache), route.cache);
  return body;
}

function toTool(tool: ModelRequest['tools'][number]): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.parameters, type: 'object' },
  };
}

function marksOf(request: ModelRequest, messages: readonly WireMessage[], policy: CachePolicy): CacheMarks {
  const prompt = {
    tools: request.tools.length,
    system: request.system.filter((text) => text.trim() !== '').map(() => true),
    messages: messages.map(asCacheMessage),
    smallPrefix: isSmallPrefix(request, policy.minimumTokens),
  };
  return chooseMarks(prompt, policy.layout);
}

/** Marks on the body just built; nothing of the caller's is touched. */
function mark(body: Body, marks: CacheMarks, { systemTtl, messageTtl }: CachePolicy): void {
  const ofPrefix = cacheControl(systemTtl);
  const ofMessages = cacheControl(messageTtl);
  const tool = marks.tool === null ? undefined : body.tools?.[marks.tool];
  if (tool && 'input_schema' in tool) tool.cache_control = ofPrefix;
  const system = Array.isArray(body.system) ? body.system : [];
  for (const index of marks.system) {
    const block = system[index];
    if (block) block.cache_control = ofPrefix;
  }
  for (const { message, block } of marks.messages) {
    const content = body.messages[message]?.content;
    const carrier = Array.isArray(content) ? content[block] : undefined;
    if (carrier && 'type' in carrier && isCarrier(carrier)) carrier.cache_control = ofMessages;
  }
  if (marks.automatic) body.cache_control = ofMessages;
}

type Carrier =
  | Anthropic.TextBlockParam
  | Anthropic.ImageBlockParam
  | Anthropic.ToolUseBlockParam
  | Anthropic.ToolResultBlockParam;

function isCarrier(block: BlockParam): block is Carrier {
  return ['text', 'image', 'tool_use', 'tool_result'].includes(block.type);
}

function asCacheMessage(message: WireMessage, index: number, all: readonly WireMessage[]): CacheMessage {
  const has = (type: WireBlock['type']): boolean => message.blocks.some((block) => block.type === type);
  return {
    carriers: message.blocks.map(({ type }) => type !== 'thinking' && type !== 'redacted_thinking'),
    openCalls: message.role === 'assistant' && hasOpenCalls(message.blocks, all[index + 1]),
    endsTransaction: message.role === 'user' ? has('tool_result') : !has('tool_use'),
  };
}

function hasOpenCalls(blocks: readonly WireBlock[], next: WireMessage | undefined): boolean {
  const answered = new Set(
    (next?.blocks ?? []).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  );
  return blocks.some((block) => block.type === 'tool_use' && !answered.has(block.id));
}
