/** What a file is by its first bytes: what a platform or a name says of it is never believed. */

/** `width` and `height` in pixels; null where the header does not tell. */
export type Sniffed =
  | { kind: 'image'; mime: string; width: number | null; height: number | null }
  | { kind: 'audio'; mime: string }
  | { kind: 'text'; text: string }
  | { kind: 'other'; what: string };

export function sniffContent(bytes: Uint8Array): Sniffed {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const sniff of [sniffImage, sniffAudio, sniffOther, sniffText]) {
    const found = sniff(view);
    if (found) return found;
  }
  return { kind: 'other', what: 'file of an unknown type' };
}

function sniffImage(bytes: Buffer): Sniffed | null {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    return image('image/png', bytes.length >= 24 ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : null);
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return image('image/jpeg', jpegSize(bytes));
  if (textAt(bytes, 0, 'GIF87a') || textAt(bytes, 0, 'GIF89a'))
    return image('image/gif', bytes.length >= 10 ? [bytes.readUInt16LE(6), bytes.readUInt16LE(8)] : null);
  if (textAt(bytes, 0, 'RIFF') && textAt(bytes, 8, 'WEBP')) return image('image/webp', webpSize(bytes));
  return null;
}

function image(mime: string, size: readonly [number, number] | null): Sniffed {
  return { kind: 'image', mime, width: size?.[0] ?? null, height: size?.[1] ?? null };
}

/** The frame header: any SOF segment but the tables that share its numbers. */
function jpegSize(bytes: Buffer): [number, number] | null {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): [number, number] | null {
  if (bytes.length < 30) return null;
  if (textAt(bytes, 12, 'VP8X')) return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (textAt(bytes, 12, 'VP8 ')) return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  if (!textAt(bytes, 12, 'VP8L')) return null;
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
}

function sniffAudio(bytes: Buffer): Sniffed | null {
  const mime = audioMime(bytes);
  return mime === null ? null : { kind: 'audio', mime };
}

function audioMime(bytes: Buffer): string | null {
  if (textAt(bytes, 0, 'OggS')) return 'audio/ogg';
  if (textAt(bytes, 0, 'ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2))
    return 'audio/mpeg';
  if (textAt(bytes, 0, 'RIFF') && textAt(bytes, 8, 'WAVE')) return 'audio/wav';
  if (textAt(bytes, 0, 'fLaC')) return 'audio/flac';
  if (textAt(bytes, 4, 'ftypM4A')) return 'audio/mp4';
  return null;
}

/** Files that begin like text, or that people should hear the name of. */
function sniffOther(bytes: Buffer): Sniffed | null {
  if (textAt(bytes, 0, '%PDF-')) return { kind: 'other', what: 'PDF' };
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]))
    return { kind: 'other', what: 'ZIP archive or office document' };
  if (textAt(bytes, 4, 'ftyp')) return { kind: 'other', what: 'video' };
  return null;
}

/** UTF-8, or UTF-16 with its mark; a control character other than tabs and line ends means that it is no text. */
function sniffText(bytes: Buffer): Sniffed | null {
  const encoding = startsWith(bytes, [0xff, 0xfe])
    ? 'utf-16le'
    : startsWith(bytes, [0xfe, 0xff])
      ? 'utf-16be'
      : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    return /[\0-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? null : { kind: 'text', text };
  } catch {
    return null;
  }
}

function startsWith(bytes: Buffer, beginning: readonly number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}

function textAt(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}
