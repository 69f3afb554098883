/**
 * The misbehaving tools on standard streams.
 *
 * argv[2]  how it starts: `well`, `never` (greets nobody), `rubbish` (writes what is no message and ends)
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { misbehavingServer } from './misbehaving-tools.ts';

const [, , start = 'well'] = process.argv;
process.stderr.write('the error stream says: started\n');
switch (start) {
  case 'never':
    setInterval(() => {}, 60_000);
    break;
  case 'rubbish':
    process.stdout.write('<html>no protocol</html>\n');
    process.exitCode = 1;
    break;
  default: {
    const wire = {
      write: (bytes: string) =>
        new Promise<void>((resolve) => void process.stdout.write(bytes, () => resolve())),
      exit: () => process.exit(3),
    };
    await misbehavingServer(wire).connect(new StdioServerTransport());
  }
}
