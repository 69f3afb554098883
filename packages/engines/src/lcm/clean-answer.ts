import { redact } from '../compressor/redact.ts';
import { unwrapSummary } from '../compressor/summary-text.ts';
import { cleanSource } from './clean-source.ts';

/** Only the summary itself: no reasoning, no fence around it, no secrets; '' where the model declined. */
export function cleanAnswer(text: string): string {
  const bare = cleanSource(text, []).text;
  const fenced = /^```[a-z]*\n([\s\S]*)\n```$/.exec(bare)?.[1] ?? bare;
  const body = redact(unwrapSummary(fenced)).trim();
  return isRefusal(body) ? '' : body;
}

function isRefusal(body: string): boolean {
  if (body.length > 600) return false;
  return /^(?:i['’]m sorry|sorry|i (?:can(?:no|['’])t|am unable|won['’]t)|as an ai\b)/i.test(body);
}
