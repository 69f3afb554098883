/** The keys of `media:`: files that people send. */
import { z } from 'zod';

const transcription = z.strictObject({
  model: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'model that writes down voice messages, such as gpt-4o-mini-transcribe; null: they are not listened to',
    ),
  base_url: z
    .url()
    .nullable()
    .default(null)
    .describe(
      "an OpenAI-compatible server with /audio/transcriptions, with TRANSCRIPTION_API_KEY; null: OpenAI's own, with that key or OPENAI_API_KEY",
    ),
  timeout_seconds: z.number().min(1).max(600).default(60).describe('one recording at most'),
});

export const media = z.strictObject({
  max_megabytes: z
    .number()
    .min(1)
    .max(100)
    .default(20)
    .describe('larger files are not fetched and their sender is told; Telegram itself stops at 20'),
  timeout_seconds: z.number().min(1).max(60).default(30).describe('one try to fetch a file at most'),
  transcription: transcription.prefault({}),
});
