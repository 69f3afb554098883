/** Beginnings of files, enough to be told apart: nothing in them can be drawn or played. */

/** A PNG header of a picture of that size; `filler` bytes follow, so that two of them differ. */
export function png(width = 640, height = 480, filler = 32): Buffer {
  const header = Buffer.alloc(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return Buffer.concat([header, Buffer.alloc(filler, 1)]);
}

/** A JPEG whose frame header stands behind an application segment. */
export function jpeg(width: number, height: number): Buffer {
  const application = Buffer.from([0xff, 0xe0, 0, 6, 1, 2, 3, 4]);
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), application, frame, Buffer.from([0xff, 0xd9])]);
}

export function ogg(filler = 64): Buffer {
  return Buffer.concat([Buffer.from('OggS'), Buffer.alloc(filler, 2)]);
}
