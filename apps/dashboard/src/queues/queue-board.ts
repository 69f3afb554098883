import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import type { PagesDeps } from '../deps.ts';
import { refuse } from '../error-response.ts';
import { contentPolicy } from '../guards/security-headers.ts';

const path = '/queues/board';
type BullQueue = ConstructorParameters<typeof BullMQAdapter>[0];

/**
 * bull-board over our queues, only to look: a job is a pointer to what the database holds, so there is nothing to mend in
 * it, and what is changed of a delivery is changed where its row says who did it. Opened at the first visit.
 */
export class QueueBoard {
  readonly #deps: Pick<PagesDeps, 'queue' | 'boards'>;
  #app: Promise<Hono> | null = null;

  constructor(deps: Pick<PagesDeps, 'queue' | 'boards'>) {
    this.#deps = deps;
  }

  /** Everything below /queues/board. */
  readonly handle: MiddlewareHandler = async (c) => {
    if (c.req.method !== 'GET')
      return refuse(c, 403, { code: 'not_allowed', message: 'Queues are only looked at.' });
    const app = await this.#open();
    const answer = await app.fetch(c.req.raw, c.env);
    return this.#asOurs(c, answer);
  };

  #open(): Promise<Hono> {
    this.#app ??= this.#build().catch((thrown: unknown) => {
      // The queue may be away now and back later.
      this.#app = null;
      throw thrown;
    });
    return this.#app;
  }

  async #build(): Promise<Hono> {
    const { queue, boards } = this.#deps;
    const queues = await queue.boards(await boards.accounts());
    const server = new HonoAdapter(serveStatic);
    createBullBoard({
      queues: queues.map((one) => new BullMQAdapter(one as BullQueue, { readOnlyMode: true })),
      serverAdapter: server,
      options: {
        uiConfig: {
          boardTitle: 'Queues',
          hideRedisDetails: true,
          hideDocsLink: true,
          miscLinks: [{ text: 'Back to Palimpsest', url: '/queues' }],
        },
      },
    });
    server.setBasePath(path);
    // Its files are named by the whole path, so it has to stand where it is reached.
    return new Hono().route(path, server.registerPlugin() as unknown as Hono);
  }

  /** Its page asks for a font from afar, which our policy refuses anyway, and styles elements directly. */
  async #asOurs(c: Context, answer: Response): Promise<Response> {
    const headers = new Headers(answer.headers);
    headers.set(
      'Content-Security-Policy',
      contentPolicy()
        .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
        .replace("img-src 'self'", "img-src 'self' data:")
        .replace("base-uri 'none'", "base-uri 'self'"),
    );
    if (!headers.get('Content-Type')?.startsWith('text/html'))
      return new Response(answer.body, { status: answer.status, headers });
    const page = (await answer.text()).replaceAll(/<link[^>]*fonts\.googleapis[^>]*>/g, '');
    headers.delete('Content-Length');
    return c.newResponse(page, { status: answer.status as 200, headers: Object.fromEntries(headers) });
  }
}
