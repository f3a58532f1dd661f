import {
  BRIDGE_LIMITS,
  FRAME_ENDED,
  FRAME_PRESSED,
  FRAME_READY,
  PORT_GRANT,
  PORT_REQUEST,
} from './bridge/messages.ts';
import type { EngineProbe } from './engine-probe.ts';
import { contentHash, SANDBOX } from './policy.ts';

const STYLE =
  'html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;border:0;width:100%;height:100%}';

/**
 * The page between the client's page and the panel, on an origin of its own that the panel cannot script. Its policy limits the
 * panel's frame to the panel's files, whatever page embeds it. It receives a port from the client's page, and relays messages between it
 * and a port that it gives to the panel's window and origin, once, when the panel requests it. Messages that exceed a limit end the panel
 * here, in a process other than that of the client's page, which would copy them. If a second page loads in the frame, even one of the same app, the
 * panel is closed. Before the panel is loaded, it probes whether the browser enforces an allowlist of connections
 * (engine-probe.ts).
 */
const SCRIPT = `'use strict';
(() => {
  const { page, client, open, shut, relays } = document.body.dataset;
  const { origin } = new URL(page);
  const frame = document.createElement('iframe');
  let port = null;
  let inner = null;
  let given = false;
  let asked = false;
  let loads = 0;
  let ended = false;
  const tell = (method, params) => parent.postMessage({ jsonrpc: '2.0', method, params }, client);
  const reached = (name) => fetch(name, { cache: 'no-store' }).then(({ ok }) => ok, () => false);
  let hasPort;
  const portGiven = new Promise((resolve) => {
    hasPort = resolve;
  });
  const probe = async () => {
    if (await reached(open) && !(await reached(shut))) await reached(open);
  };
  const end = (reason) => {
    if (ended) return;
    ended = true;
    frame.remove();
    inner?.close();
    // The client's page closes its port once it knows the reason.
    tell('${FRAME_ENDED}', { reason });
  };
  const bucket = ({ burst, perSecond }) => {
    let tokens = burst;
    let at = performance.now();
    return () => {
      const now = performance.now();
      tokens = Math.min(burst, tokens + ((now - at) * perSecond) / 1000);
      at = now;
      tokens -= 1;
      return tokens >= 0;
    };
  };
  const mayRelay = bucket(${JSON.stringify(BRIDGE_LIMITS.messages)});
  const mayAsk = bucket({ burst: 20, perSecond: 1 });
  const toClient = (text) => {
    if (ended) return;
    if (typeof text !== 'string' || text.length > ${BRIDGE_LIMITS.messageChars}) end('message-too-large');
    else if (!mayRelay()) end('flooded');
    else {
      // A press in the client's page does not count here, only one in this frame.
      if (navigator.userActivation?.isActive) tell('${FRAME_PRESSED}');
      port.postMessage(text);
    }
  };
  const fromPage = ({ origin: from, data }) => {
    const isMessage = from === origin && data?.jsonrpc === '2.0';
    if (isMessage) toClient(JSON.stringify(data));
    else if (!mayAsk()) end('flooded');
  };
  const handOver = () => {
    if (!port || inner || (!asked && !relays) || !frame.isConnected) return;
    if (relays) {
      port.onmessage = ({ data }) => frame.contentWindow?.postMessage(JSON.parse(data), origin);
      return;
    }
    const relay = new MessageChannel();
    inner = relay.port1;
    inner.onmessage = ({ data }) => toClient(data);
    inner.addEventListener('close', () => end());
    port.onmessage = ({ data }) => inner.postMessage(data);
    frame.contentWindow.postMessage({ jsonrpc: '2.0', method: '${PORT_GRANT}' }, origin, [relay.port2]);
  };
  addEventListener('message', (event) => {
    const { source } = event;
    if (source === parent && event.origin === client && !given && event.ports.length === 1) {
      given = true;
      port = event.ports[0];
      hasPort();
    } else if (relays && source === frame.contentWindow) {
      fromPage(event);
    } else if (source === frame.contentWindow && !mayAsk()) {
      end('flooded');
    } else if (source === frame.contentWindow && event.origin === origin && event.data?.method === '${PORT_REQUEST}') {
      asked = true;
    }
    handOver();
  });
  addEventListener('securitypolicyviolation', () => end());
  frame.addEventListener('load', () => {
    loads += 1;
    if (loads > 1) end();
  });
  frame.setAttribute('sandbox', '${SANDBOX}');
  frame.setAttribute('allow', '');
  frame.referrerPolicy = 'no-referrer';
  frame.title = document.title;
  frame.src = page;
  tell('${FRAME_READY}');
  // A page that only posts messages would lose those before the port.
  Promise.allSettled([probe(), relays ? portGiven : null]).then(() => {
    if (ended) return;
    document.body.append(frame);
    handOver();
  });
})();`;

/** Hashes of the page's only script and style, for its policy. */
export const FRAME_PAGE_HASHES = { script: contentHash(SCRIPT), style: contentHash(STYLE) };

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

type FramePage = {
  title: string;
  page: string;
  client: string;
  probe: Pick<EngineProbe, 'open' | 'shut'>;
  relays: boolean;
};

/**
 * The HTML of the page around a panel.
 * @param page URL of the panel's own page
 * @param client origin of the client's page
 * @param probe the names that it requests
 * @param relays whether the page posts its messages to its parent window (MCP Apps), and requests no port
 */
export const framePage = ({ title, page, client, probe, relays }: FramePage): string =>
  `<!doctype html>
<html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body data-page="${escapeHtml(page)}" data-client="${escapeHtml(client)}" data-open="${probe.open}" data-shut="${probe.shut}"${relays ? ' data-relays="yes"' : ''}><script>${SCRIPT}</script></body></html>
`;
