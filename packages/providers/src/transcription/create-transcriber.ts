/** Voice messages through an OpenAI-compatible /audio/transcriptions. */
import { type Config, GatewayError, type Transcriber } from '@palimpsest/core';
import type OpenAI from 'openai';

import { openOpenAiSdk } from '../open-openai-sdk.ts';

/** Where OpenAI's own service is. */
const openAiUrl = 'https://api.openai.com/v1';

export interface TranscriberKeys {
  /** For a service of one's own. */
  transcription?: string;
  openai?: string;
}

/**
 * Null where no model is named. The SDK is loaded at the first recording.
 * throws config_invalid where OpenAI's own service is meant and there is no key for it
 */
export function createTranscriber(
  { transcription }: Config['media'],
  keys: TranscriberKeys,
  fetcher?: typeof fetch,
): Transcriber | null {
  const { model, base_url: baseUrl } = transcription;
  if (model === null) return null;
  const apiKey = keys.transcription ?? (baseUrl === null ? keys.openai : 'none');
  if (apiKey === undefined)
    throw new GatewayError(
      'config_invalid',
      `media.transcription.model is ${JSON.stringify(model)} and there is no key for it: set TRANSCRIPTION_API_KEY or OPENAI_API_KEY, or media.transcription.base_url for a server of your own.`,
    );
  let sdk: Promise<OpenAI> | null = null;
  const timeoutMs = transcription.timeout_seconds * 1000;
  const open = (): Promise<OpenAI> =>
    (sdk ??= openOpenAiSdk({ apiKey, baseUrl: baseUrl ?? openAiUrl }, { idleMs: timeoutMs, fetch: fetcher }));
  return {
    async transcribe({ bytes, mime }, signal) {
      const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const file = new File([new Uint8Array(bytes)], fileName(mime), { type: mime });
        const answer = await (
          await open()
        ).audio.transcriptions.create({ file, model, response_format: 'json' }, { signal: ending });
        return answer.text;
      } catch (thrown) {
        throw new GatewayError(
          'provider_failed',
          `the transcription service did not write down a recording of ${bytes.length} bytes (${problemOf(thrown, ending)}); look at media.transcription`,
          { cause: thrown },
        );
      }
    },
  };
}

/** The service tells the format by the ending. */
function fileName(mime: string): string {
  const endings: Readonly<Record<string, string>> = { 'audio/mpeg': 'mp3', 'audio/mp4': 'm4a' };
  return `recording.${endings[mime] ?? mime.replace('audio/', '')}`;
}

/** Status or kind; never the answer's words. */
function problemOf(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it took too long or was stopped';
  if (thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number')
    return `HTTP ${thrown.status}`;
  return thrown instanceof Error ? thrown.name : 'unknown';
}
