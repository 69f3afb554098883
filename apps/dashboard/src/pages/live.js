/**
 * One live stream of the service, kept open while the page is looked at. A browser allows six connections a host, so a
 * page in the background lets go of its own; coming back it asks for what it missed.
 */

const hiddenMs = 20_000;
const longestWaitMs = 15_000;

/**
 * path      of the stream
 * handlers  by event name, each gets the parsed data
 * onState   'live' or 'lost'
 * after     id from which on events are wanted, if the stream has ids
 */
export function openLive(path, { handlers, onState, after = null }) {
  let source = null;
  let lastId = after;
  let waitMs = 500;
  let retry = 0;
  let hiding = 0;

  function connect() {
    disconnect();
    source = new EventSource(
      lastId === null ? path : `${path}${path.includes('?') ? '&' : '?'}after=${lastId}`,
    );
    source.addEventListener('open', () => {
      waitMs = 500;
      onState('live');
    });
    source.addEventListener('error', onError);
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) lastId = event.lastEventId;
        handle(JSON.parse(event.data));
      });
    }
  }

  function onError() {
    onState('lost');
    // The browser comes back by itself after a cut, and gives up on an answer like 503 or 401.
    if (source?.readyState !== EventSource.CLOSED) return;
    waitMs = Math.min(longestWaitMs, waitMs * 2);
    retry = setTimeout(connect, waitMs);
  }

  function disconnect() {
    clearTimeout(retry);
    source?.close();
    source = null;
  }

  function onVisibility() {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(disconnect, hiddenMs);
    else if (!source) connect();
  }

  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('pagehide', disconnect);
  addEventListener('pageshow', (event) => {
    if (event.persisted) connect();
  });
  addEventListener('online', connect);
  connect();
}
