import type { ModelRequest } from '@palimpsest/core';

/**
 * Where a service is asked to condense on its own side. Elsewhere the field is never sent: gpt-5.1 and 5.2 answer it
 * with HTTP 500 or a stream that stalls, relays drop it or hand it to somebody else.
 */
const nativeRoutes: readonly { provider: string; host: string; family: string }[] = [
  { provider: 'openai', host: 'api.openai.com', family: 'gpt-5.6' },
  { provider: 'openai-codex', host: 'chatgpt.com', family: 'gpt-5.6' },
];

/** How far below our own trigger the service condenses, so that it does so first. */
const belowTriggerTokens = 8_192;
const smallestThreshold = 1_024;
const fallbackThreshold = 200_000;

/** May this route be asked to condense? By provider, host and model, all three. */
export function mayCompactNatively(route: { provider: string; baseUrl: string; model: string }): boolean {
  const { hostname } = new URL(route.baseUrl);
  return nativeRoutes.some(
    ({ provider, host, family }) =>
      route.provider === provider && hostname === host && isOfFamily(route.model, family),
  );
}

function isOfFamily(model: string, family: string): boolean {
  return model === family || model.startsWith(`${family}-`);
}

/**
 * Input tokens from which the service condenses.
 *
 * configured      `compression.codex_responses_compact_threshold`; null: as late as allowed
 * compactAtTokens our own trigger; undefined: not known
 */
export function nativeThreshold(configured: number | null, compactAtTokens: number | undefined): number {
  if (compactAtTokens === undefined) return configured ?? fallbackThreshold;
  const ceiling =
    compactAtTokens <= belowTriggerTokens
      ? Math.max(1, Math.floor(compactAtTokens * 0.8))
      : Math.max(smallestThreshold, compactAtTokens - belowTriggerTokens);
  return Math.min(configured ?? ceiling, ceiling);
}

/** The field of the request, or null where this request goes without. */
export function contextManagement(
  request: Pick<ModelRequest, 'purpose' | 'compactAtTokens'>,
  settings: { thresholdTokens: number | null } | null,
): { type: 'compaction'; compact_threshold: number }[] | null {
  if (!settings || request.purpose !== 'turn' || request.compactAtTokens === null) return null;
  const threshold = nativeThreshold(settings.thresholdTokens, request.compactAtTokens);
  return [{ type: 'compaction', compact_threshold: threshold }];
}
