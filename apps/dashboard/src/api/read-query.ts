import { z } from 'zod';
import type { Context } from 'hono';
import { inputInvalid } from '../error-response.ts';
import { numberIn } from './number-in.ts';

/** Rows of one page at most: a session of years is never read whole. */
const mostRows = 200;
export const anySeq = { least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0 };

/** A whole number of a query or path. */
export function whole(range: { least: number; most: number; usual: number }) {
  return z
    .string()
    .optional()
    .transform((text) => numberIn(text, range));
}

/** Size of a page. */
export function pageSize(usual: number, most = mostRows) {
  return whole({ least: 1, most, usual });
}

/** Query and path parameters by a schema. throws input_invalid with the parameter's name */
export function readQuery<Shape extends z.ZodType>(c: Context, schema: Shape): z.output<Shape> {
  const parsed = schema.safeParse({ ...c.req.query(), ...c.req.param() });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw inputInvalid(`${issue?.path.join('.') ?? 'query'}: ${issue?.message ?? 'not understood'}`);
}

/** `afterSeq` and `limit` of whatever comes in seq order; `id` is the session's. */
export const seqPage = z.object({ id: z.string(), after: whole(anySeq), limit: pageSize(mostRows) });
