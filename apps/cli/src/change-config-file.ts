import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { GatewayError, setConfigValue } from '@palimpsest/core';
import { engineNames } from './installed-engines.ts';

/**
 * Change one value of the config file, or make the file. What is read by others is always a whole file: the new one is
 * written beside it and takes its place in one step; its rights stay.
 * throws config_invalid when the value is not accepted or the file cannot be written; the file is then as it was
 */
export function changeConfigFile(path: string, change: { key: string; value: string }): void {
  const isThere = existsSync(path);
  // A link stays a link: what it points at is changed.
  const target = isThere ? realpathSync(path) : path;
  const text = setConfigValue(isThere ? readFileSync(target, 'utf8') : '', change, {
    file: path,
    engines: engineNames(path),
  });
  try {
    replaceFile(target, text, isThere ? statSync(target).mode & 0o777 : 0o644);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new GatewayError('config_invalid', `${path} cannot be written (${code}); it is as it was.`, {
      cause,
    });
  }
}

function replaceFile(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    const file = openSync(beside, 'wx', mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } finally {
    rmSync(beside, { force: true });
  }
}
