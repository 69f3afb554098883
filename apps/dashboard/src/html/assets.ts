import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';

interface Asset {
  body: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Our browser code, and the libraries it imports, from the installed packages: no bundler, nothing from afar. */
export function assetRoutes(): Hono {
  const assets = readAssets();
  const app = new Hono();
  app.get('/assets/*', (c) => {
    const asset = assets.get(c.req.path.slice('/assets/'.length));
    if (!asset) return c.notFound();
    // Asked again each time, answered with 304: a new version is seen at once.
    c.header('Cache-Control', 'no-cache');
    c.header('ETag', asset.etag);
    if (c.req.header('if-none-match') === asset.etag) return c.body(null, 304);
    return c.body(asset.body, 200, { 'Content-Type': asset.type });
  });
  return app;
}

function readAssets(): ReadonlyMap<string, Asset> {
  const pages = new URL('../pages/', import.meta.url);
  const ours = readdirSync(pages)
    .filter((name) => types[extensionOf(name)] !== undefined)
    .map((name): [string, Asset] => [name, readAsset(new URL(name, pages).href, extensionOf(name))]);
  const vendor = [
    ['vendor/preact.js', 'preact'],
    ['vendor/preact-hooks.js', 'preact/hooks'],
    ['vendor/htm.js', 'htm'],
    ['vendor/htm-preact.js', 'htm/preact'],
    ['vendor/uplot.js', 'uplot/dist/uPlot.esm.js'],
    ['vendor/uplot.css', 'uplot/dist/uPlot.min.css'],
  ].map(([name, specifier]): [string, Asset] => [
    name!,
    readAsset(import.meta.resolve(specifier!), extensionOf(name!)),
  ]);
  return new Map([...ours, ...vendor]);
}

function readAsset(url: string, extension: string): Asset {
  const body = new Uint8Array(readFileSync(fileURLToPath(url)));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 20)}"`;
  return { body, type: types[extension]!, etag };
}

function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
