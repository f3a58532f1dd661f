import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forBrowser } from './panel-app.ts';

/** The modules that the page loads, by their place in the sources. */
const HOST_MODULES = [
  'panels/host/mount-panel',
  'panels/host/frame-element',
  'platform/token-bucket',
  'panels/bridge/messages',
];
const MODULES = new Map(HOST_MODULES.map((name) => [`/${name}.js`, forBrowser(`${name}.ts`)]));

/** The page of the client: shows panels, and passes their messages to functions that the test provides. */
const CLIENT_PAGE = `<!doctype html><title>client</title><body><script type="module">
import { mountPanel } from '/panels/host/mount-panel.js';
const shown = new Map();
window.heard = [];
addEventListener('message', ({ data, ports }) => heard.push({ data, ports: ports.length }));
window.showPanel = (id, frame) => {
  let to;
  const connection = {
    send: (text) => toRuntime(id, text),
    listen: (listener) => { to = listener; },
    close: (reason) => closedByPage(id, reason),
  };
  const mounted = mountPanel({
    parent: document.body, frame, connection, now: () => performance.now(), closed: () => {},
  });
  shown.set(id, { to, mounted });
};
window.tellPanel = (id, text) => shown.get(id).to.message(text);
window.runtimeClosed = (id, reason) => shown.get(id).to.closed(reason);
</script>`;

/** Serves the page of the client on a port of its own. */
export async function startClientPage() {
  const server = createServer((request, response) => {
    const module = MODULES.get(request.url ?? '');
    if (module) response.writeHead(200, { 'content-type': 'text/javascript' }).end(module);
    else response.writeHead(200, { 'content-type': 'text/html' }).end(CLIENT_PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    stop: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
}
