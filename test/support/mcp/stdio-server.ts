/**
 * The misbehaving tools on standard streams.
 *
 * PID_FILE  its number is written there
 * argv[2]  how it starts: `well`, `never` (greets nobody), `rubbish` (writes what is no message and ends)
 */
import { writeFileSync } from 'node:fs';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { misbehavingServer } from './misbehaving-tools.ts';

const [, , start = 'well'] = process.argv;
const pidFile = process.env['PID_FILE'];
if (pidFile) writeFileSync(pidFile, String(process.pid));
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
