/** A small MCP server made with the official SDK, whose tools do well or misbehave on purpose. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const object = { type: 'object', properties: {} } as const;
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const never = () => new Promise<never>(() => {});

/** `write` puts raw bytes on the wire past the protocol and resolves when they are out; `exit` ends the program at once. */
export interface Wire {
  write(bytes: string): Promise<void>;
  exit(): void;
}

export function misbehavingServer(wire: Wire): Server {
  const server = new Server(
    { name: 'misbehaving', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  const tools: { name: string; description: string }[] = [
    { name: 'echo', description: 'Says what it was told.' },
    { name: 'pid', description: 'The number of its process.' },
    { name: 'variable', description: 'A variable of its environment.' },
    { name: 'fail', description: 'Says that it failed.' },
    { name: 'refuse', description: 'Is answered with an error of the protocol.' },
    { name: 'hang', description: 'Never answers.' },
    { name: 'freeze', description: 'Stops the whole program without ending it.' },
    { name: 'die', description: 'Ends the program.' },
    { name: 'garble', description: 'Writes lines that are no message, then answers.' },
    { name: 'endless', description: 'Writes a line without end.' },
    { name: 'flood', description: 'Sends log lines without end.' },
    { name: 'long', description: 'Says very much.' },
    { name: 'picture', description: 'Gives a picture, a file and a link.' },
    { name: 'grow', description: 'Adds a tool named grown.' },
  ];
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map((tool) => ({ ...tool, inputSchema: object })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }) => {
    switch (name) {
      case 'pid':
        return text(String(process.pid));
      case 'variable':
        return text(process.env[String(input['name'])] ?? 'not set');
      case 'fail':
        return { ...text('it did not work'), isError: true };
      case 'refuse':
        throw new Error('no such thing here');
      case 'hang':
        return never();
      case 'freeze':
        for (;;);
      case 'die':
        wire.exit();
        return never();
      case 'garble':
        for (let line = 0; line < 100; line++) await wire.write(`rubbish ${line} {]\n`);
        return text('after the rubbish');
      case 'endless':
        for (;;) {
          await wire.write('x'.repeat(1_000_000));
        }
      case 'flood':
        for (;;) {
          const params = { level: 'info', data: 'x' };
          await wire.write(
            `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })}\n`,
          );
        }
      case 'long':
        return text('0123456789'.repeat(Number(input['tens'])));
      case 'picture':
        return {
          content: [
            { type: 'text', text: 'Here it is:' },
            {
              type: 'image',
              data: Buffer.from('no real picture').toString('base64'),
              mimeType: 'image/png',
              annotations: { audience: ['user', 'assistant'] },
            },
            {
              type: 'resource',
              resource: {
                uri: 'file:///notes.txt',
                mimeType: 'text/plain',
                text: 'The cellar door is green.',
              },
            },
            { type: 'resource_link', name: 'handbook', uri: 'https://example.org/handbook' },
          ],
        };
      case 'grow':
        tools.push({ name: 'grown', description: 'Was not there before.' });
        await server.sendToolListChanged();
        return text('grown');
      default:
        return text(`${name}: ${JSON.stringify(input)}`);
    }
  });
  return server;
}
