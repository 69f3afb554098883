/** The few Redis commands that test set-up needs, without a library (ioredis belongs to packages/queue). */
import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Run commands on one connection and return their replies in order; an integer as number, nothing as null.
 *
 * url     redis://[user:password@]host:port
 * throws  Error when the server is away, answers an error, or takes longer than 2 s
 */
export async function redisCommands(
  url: string,
  commands: readonly (readonly string[])[],
): Promise<readonly (string | number | null)[]> {
  const { hostname, port, password, username } = new URL(url);
  const login =
    password === '' ? [] : [['AUTH', ...(username === '' ? [] : [username]), decodeURIComponent(password)]];
  const all = [...login, ...commands];
  const socket = connect({ host: hostname, port: Number(port || 6379), timeout: 2000 });
  socket.once('timeout', () => socket.destroy(new Error(`Redis at ${hostname}:${port} does not answer`)));
  try {
    await once(socket, 'connect');
    socket.write(all.map(encode).join(''));
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      const replies = parse(text);
      if (replies.length >= all.length) return replies.slice(login.length);
    }
    throw new Error(`Redis at ${hostname}:${port} closed the connection`);
  } finally {
    socket.destroy();
  }
}

function encode(command: readonly string[]): string {
  const words = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${command.length}\r\n${words.join('')}`;
}

/** Whole replies at the start of `text`; bulk strings are ASCII here, so characters are bytes. */
function parse(text: string): (string | number | null)[] {
  const replies: (string | number | null)[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return replies;
    const kind = text[at];
    const line = text.slice(at + 1, end);
    if (kind === '-') throw new Error(`Redis answered: ${line}`);
    at = end + 2;
    if (kind !== '$') replies.push(kind === ':' ? Number(line) : line);
    else if (line === '-1') replies.push(null);
    else {
      const length = Number(line);
      if (text.length < at + length + 2) return replies;
      replies.push(text.slice(at, at + length));
      at += length + 2;
    }
  }
  return replies;
}
