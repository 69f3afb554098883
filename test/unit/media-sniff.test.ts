/** What is kept of a file: its own bytes decide, never its name or what a platform says of it. */
import { describe, expect, test } from 'vitest';
import { readFetched } from '@palimpsest/platforms';
import { sniffContent } from '../../packages/platforms/src/media/sniff-content.ts';
import { jpeg, ogg, png } from '../support/media.ts';

const hears = { hears: true };

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.write('GIF89a', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

function webp(kind: 'VP8X' | 'VP8 ' | 'VP8L', fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WEBP', 8, 'latin1');
  bytes.write(kind, 12, 'latin1');
  fill(bytes);
  return bytes;
}

describe('pictures', () => {
  test.each([
    ['PNG', png(640, 480), 'image/png', 640, 480],
    ['JPEG', jpeg(1280, 720), 'image/jpeg', 1280, 720],
    ['GIF', gif(32, 16), 'image/gif', 32, 16],
    [
      'extended WebP',
      webp('VP8X', (bytes) => {
        bytes.writeUIntLE(511, 24, 3);
        bytes.writeUIntLE(255, 27, 3);
      }),
      'image/webp',
      512,
      256,
    ],
    [
      'lossy WebP',
      webp('VP8 ', (bytes) => {
        bytes.writeUInt16LE(300, 26);
        bytes.writeUInt16LE(200, 28);
      }),
      'image/webp',
      300,
      200,
    ],
    [
      'lossless WebP',
      webp('VP8L', (bytes) => bytes.writeUInt32LE((99 << 14) | 199, 21)),
      'image/webp',
      200,
      100,
    ],
  ])('%s is known by its header, with its size', (_name, bytes, mime, width, height) => {
    expect(sniffContent(bytes)).toEqual({ kind: 'image', mime, width, height });
  });

  test('one is kept under the hash of its bytes, whatever its name says', () => {
    const bytes = png();

    expect(readFetched(bytes, { name: 'notes.txt' }, hears)).toEqual({
      state: {
        kind: 'stored',
        content: 'image',
        payloadId: 'a634962d22df99eb6f9b7ba246aae9c225c23bed382bc33e99efc80623b0c591',
        mime: 'image/png',
        bytes: 65,
      },
      content: bytes,
    });
  });

  test.each([
    ['of more bytes than services take', png(10, 10, 3_750_000)],
    ['of more pixels than services take', png(8_001, 10)],
    ['without a height', png(10, 0)],
    ['whose header is cut off', png().subarray(0, 20)],
  ])('one %s would be refused with every later request, so it is left', (_name, bytes) => {
    expect(readFetched(bytes, {}, hears)).toEqual({
      state: { kind: 'left', problem: 'too_large', limitBytes: 3_750_000 },
    });
  });
});

describe('texts', () => {
  test('UTF-8 is a text, whatever its name says', () => {
    const read = readFetched(Buffer.from('größer than\tnothing\n'), { name: 'a.png' }, hears);

    expect(read.state).toMatchObject({ kind: 'stored', content: 'text', mime: 'text/plain', bytes: 22 });
    expect(Buffer.from(read.content!).toString()).toBe('größer than\tnothing\n');
  });

  test('UTF-16 with its mark is kept as UTF-8', () => {
    const read = readFetched(Buffer.from('\ufeffnotes', 'utf16le'), { name: 'n.md' }, hears);

    expect(read.state).toMatchObject({ content: 'text', mime: 'text/markdown', bytes: 5 });
    expect(Buffer.from(read.content!).toString()).toBe('notes');
  });

  test.each([
    ['table.csv', 'text/csv'],
    ['page.HTML', 'text/html'],
    ['program.ts', 'text/plain'],
    [undefined, 'text/plain'],
  ])('the kind of text follows the ending of %s', (name, mime) => {
    expect(readFetched(Buffer.from('a,b'), { name }, hears).state).toMatchObject({ mime });
  });
});

describe('everything else', () => {
  test.each([
    ['Ogg', ogg(), 'audio/ogg'],
    ['MP3 with a tag', Buffer.from('ID3\u0004'), 'audio/mpeg'],
    ['bare MP3', Buffer.from([0xff, 0xfb, 0x90, 0]), 'audio/mpeg'],
    ['WAV', Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'audio/wav'],
    ['FLAC', Buffer.from('fLaC\0'), 'audio/flac'],
    ['M4A', Buffer.from('\0\0\0\u001cftypM4A '), 'audio/mp4'],
  ])('%s is a recording', (_name, bytes, mime) => {
    expect(sniffContent(bytes)).toEqual({ kind: 'audio', mime });
  });

  test('a recording is kept only where somebody can write it down', () => {
    expect(readFetched(ogg(), {}, hears).state).toMatchObject({ content: 'audio', mime: 'audio/ogg' });
    expect(readFetched(ogg(), {}, { hears: false }).state).toEqual({ kind: 'left', problem: 'unsupported' });
  });

  test.each([
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['an archive', Buffer.from('PK\u0003\u0004')],
    ['a video', Buffer.from('\0\0\0\u0018ftypisom')],
    ['bytes', Buffer.from([1, 2, 3, 0, 255])],
    ['a text with a NUL', Buffer.from('a\0b')],
    ['broken UTF-8', Buffer.from([0x61, 0xc3])],
  ])('of %s nothing is kept', (_name, bytes) => {
    expect(readFetched(bytes, { name: 'a.txt' }, hears)).toEqual({
      state: { kind: 'left', problem: 'unreadable' },
    });
  });
});
