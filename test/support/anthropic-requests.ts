/** Requests to the fake Anthropic server: parts of bodies, and one sent through the vendor's SDK. */
import Anthropic from '@anthropic-ai/sdk';
import { startFakeModel, type FakeModelOptions } from '@palimpsest/testkit';

/** Any JSON object; many are wrong on purpose. */
export type Body = Record<string, unknown>;

/** Send any body through the vendor SDK and give back what came of it. */
export async function send(
  body: Body,
  more: Partial<FakeModelOptions> & { headers?: Record<string, string> } = {},
): Promise<{
  message: string | undefined;
  violations: readonly string[];
  refused: number;
  refusedOutput: number;
}> {
  await using model = await startFakeModel({
    dialect: 'anthropic',
    window: 1000,
    script: () => ({ text: 'ok' }),
    ...more,
  });
  const client = new Anthropic({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const whole = { model: 'claude-sonnet-5', max_tokens: 10, messages: [user('Hi')], ...body };
  const error: unknown = await client
    .post('/v1/messages', { body: whole, headers: more.headers })
    .catch((caught: unknown) => caught);
  const message = error instanceof Anthropic.BadRequestError ? (error.apiMessage ?? undefined) : undefined;
  return {
    message,
    violations: [...model.violations],
    refused: model.refused,
    refusedOutput: model.refusedOutput,
  };
}

export function user(content: unknown): Body {
  return { role: 'user', content };
}

export function assistant(content: unknown): Body {
  return { role: 'assistant', content };
}

export function text(words: string, more: Body = {}): Body {
  return { type: 'text', text: words, ...more };
}

export function call(id: string): Body {
  return { type: 'tool_use', id, name: 'clock', input: {} };
}

export function result(id: string, more: Body = {}): Body {
  return { type: 'tool_result', tool_use_id: id, content: 'noon', ...more };
}

export function tool(name: string, more: Body = {}): Body {
  return { name, input_schema: { type: 'object' }, ...more };
}
