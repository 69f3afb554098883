/** Files: uploads of the bot and files that people sent. */
import { ApiError, badRequest } from './api-error.ts';
import type { ServerState } from './server-state.ts';
import { UploadedFile } from './uploaded-file.ts';

const UPLOAD_BYTES = 50 * 1024 * 1024;

/** Facts of a stored file as they stand in a Document. */
export interface DocumentFacts {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size: number;
  readonly [field: string]: unknown;
}

/** Keep an upload, or find the file a file_id names; throws 400 for unknown ids, 413 over 50 MB. */
export function storeUpload(state: ServerState, source: UploadedFile | string): DocumentFacts {
  if (!(source instanceof UploadedFile)) return findFile(state, source);
  if (source.bytes.length > UPLOAD_BYTES) {
    throw new ApiError({ error_code: 413, description: 'Request Entity Too Large' });
  }
  if (source.bytes.length === 0) throw badRequest('file must be non-empty');
  const file_id = `file-${state.files.size + 1}`;
  const file_path = `documents/${file_id}`;
  state.files.set(file_id, { file_id, file_path, bytes: source.bytes, size: source.bytes.length });
  return {
    file_id,
    file_unique_id: `unique-${file_id}`,
    file_name: source.fileName,
    mime_type: source.mimeType,
    file_size: source.bytes.length,
  };
}

function findFile(state: ServerState, fileId: string): DocumentFacts {
  const file = state.files.get(fileId);
  if (!file) throw badRequest('wrong file identifier/HTTP URL specified');
  return { file_id: file.file_id, file_unique_id: `unique-${file.file_id}`, file_size: file.size };
}
