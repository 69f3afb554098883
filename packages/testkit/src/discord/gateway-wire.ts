/** Frames to one socket: plain text, or one zlib stream over all frames of the socket. */
import { constants, createDeflate } from 'node:zlib';
import type { WebSocket } from 'ws';

/** Frame of the gateway; `s` and `t` are null on everything but dispatches (op 0). */
export interface Frame {
  op: number;
  d: unknown;
  s: number | null;
  t: string | null;
}

export type WriteFrame = (frame: Frame) => void;

/** Write frames as text. */
export function plainWriter(socket: WebSocket): WriteFrame {
  return (frame) => socket.send(JSON.stringify(frame));
}

/**
 * Write frames through ONE deflate context for the whole socket, so a client with an inflate
 * context per message fails, as it does on Discord. Each message ends with 00 00 ff ff.
 */
export function zlibWriter(socket: WebSocket): WriteFrame {
  // Room for the largest frame: output is read only after the whole frame went in.
  const options = { flush: constants.Z_SYNC_FLUSH, readableHighWaterMark: 16 * 1024 * 1024 };
  const deflate = createDeflate(options);
  socket.once('close', () => deflate.destroy());
  return (frame) => {
    deflate.write(JSON.stringify(frame), () => {
      const packed: unknown = deflate.read();
      if (Buffer.isBuffer(packed)) socket.send(packed);
    });
  };
}
