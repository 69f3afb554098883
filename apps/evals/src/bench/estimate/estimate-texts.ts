import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Written for this bench, and by no means looked at when the estimate's weights were fitted. */
const writtenKinds = [
  'prose',
  'chat',
  'code',
  'markdown',
  'diff',
  'listing',
  'japanese',
  'chinese',
  'korean',
  'russian',
  'german',
  'emoji',
] as const;

export type TextKind = (typeof writtenKinds)[number] | 'json' | 'json_minified' | 'logs' | 'base64';

/** Opaque text is priced, not read: its error is shown and not counted. */
export const uncounted: readonly TextKind[] = ['base64'];

/** One text of a few kilobytes a kind, the same at every run. */
export function estimateTexts(): Record<TextKind, string> {
  const written = Object.fromEntries(
    writtenKinds.map((kind) => [kind, readFileSync(new URL(`texts/${kind}.txt`, import.meta.url), 'utf8')]),
  ) as Record<(typeof writtenKinds)[number], string>;
  const records = Array.from({ length: 12 }, (_, index) => record(index));
  return {
    ...written,
    json: JSON.stringify(records.slice(0, 6), null, 2),
    json_minified: JSON.stringify(records),
    logs: Array.from({ length: 40 }, (_, index) => logLine(index)).join('\n'),
    base64: Array.from({ length: 40 }, (_, index) => digestOf(index).toString('base64')).join(''),
  };
}

const cities = ['Porto', 'Gdańsk', 'San José', 'Osaka', 'Leeds'];
const notes = ['leave at the door', null, 'call before delivery', 'second floor, left', ''];

function record(index: number): object {
  const bytes = digestOf(index);
  const hex = bytes.toString('hex');
  return {
    id: `ord_${hex.slice(0, 12)}`,
    createdAt: `2026-0${1 + (index % 9)}-${10 + (bytes[0]! % 18)}T${10 + (bytes[1]! % 13)}:${10 + (bytes[2]! % 49)}:07.${100 + bytes[3]!}Z`,
    status: ['pending', 'shipped', 'delivered', 'returned'][index % 4],
    customer: {
      userId: bytes.readUInt16BE(4),
      email: `mail${bytes[6]}@example.org`,
      newsletter: bytes[7]! > 127,
    },
    address: { street: `${bytes[8]} Mill Lane`, city: cities[index % 5], note: notes[bytes[9]! % 5] },
    items: [
      {
        sku: `BK-${bytes.readUInt16BE(10)}`,
        quantity: 1 + (bytes[12]! % 4),
        unitPrice: bytes.readUInt16BE(13) / 100,
      },
      { sku: `TX-${bytes.readUInt16BE(15)}-R`, quantity: 1, unitPrice: 4.5 },
    ],
    tags: ['gift', 'express'].slice(0, bytes[17]! % 3),
    geo: [bytes.readInt16BE(18) / 512, bytes.readInt16BE(20) / 256],
  };
}

function logLine(index: number): string {
  const bytes = digestOf(index);
  const hex = bytes.toString('hex');
  const time = `2026-03-02T09:${10 + (index % 49)}:${10 + (bytes[0]! % 49)}.${100 + bytes[1]!}Z`;
  switch (index % 5) {
    case 0:
      return `${time} INFO  [http] ${hex.slice(0, 8)} GET /api/orders/${bytes.readUInt16BE(2)} 200 ${bytes[4]}ms`;
    case 1:
      return `${time} WARN  [pool] connection 10.0.${bytes[5]}.${bytes[6]}:5432 was idle for ${bytes[7]} s, closing it`;
    case 2:
      return `${time} ERROR [worker-${index % 3}] job failed: TypeError: Cannot read properties of undefined (reading 'length')\n    at parseLine (/srv/app/dist/import/parse-line.js:${bytes[8]}:${bytes[9]})\n    at async run (/srv/app/dist/import/run.js:${bytes[10]}:9)`;
    case 3:
      return JSON.stringify({
        level: 30,
        time: 1772442000000 + bytes.readUInt16BE(11),
        pid: bytes.readUInt16BE(13),
        reqId: hex.slice(8, 20),
        msg: 'request completed',
        responseTime: bytes[15],
      });
    default:
      return `Mar  2 09:${10 + (index % 49)}:02 edge-${index % 4} kernel: [${bytes.readUInt32BE(16)}.${bytes[20]}] eth0: link up, 1000 Mbps, full duplex`;
  }
}

/** 64 bytes that look random and are not. */
function digestOf(index: number): Buffer {
  return createHash('sha512').update(String(index)).digest();
}
