import type { Broken } from './send-once.ts';

/**
 * Does the service not take the field that asks it to condense? A clean refusal names it; some models answer with 500
 * or fall silent instead. Without the field the request is tried again.
 */
export function refusesField({ failure, error }: Broken): boolean {
  if (failure.kind === 'timeout' || failure.kind === 'server_error') return true;
  return failure.kind === 'bad_request' && /context_management|compact_threshold/.test(error?.text ?? '');
}

/** Can the service not read an opaque item, because it is another's or too old? */
export function refusesCheckpoint({ error }: Broken): boolean {
  if (!error) return false;
  return (
    error.code === 'invalid_encrypted_content' ||
    /could not decode the compaction blob|encrypted content .*could not be verified/i.test(error.text)
  );
}
