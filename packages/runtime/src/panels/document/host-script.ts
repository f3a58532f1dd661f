import { BRIDGE_LIMITS, PORT_GRANT, PORT_REQUEST, PROTOCOL_VERSION } from '../bridge/messages.ts';

/** How the document of a panel reaches its client through the host that shows it. */
export type HostLink = {
  /** The tool of the client's MCP server that takes the panel's requests. */
  tool: string;
  /** Names the open panel to that tool. Unguessable, since it allows the requests of the panel. */
  key: string;
};

/**
 * The first script of a panel's document, in a host of MCP Apps (revision 2026-01-26). It gives the panel the port that it expects, and
 * turns its requests into calls of one tool, which the host passes to the client's MCP server. The panel names tools as its app does;
 * the client finds its app by the key. Theme, locale, size and teardown come from and go to the host.
 */
const SCRIPT = `'use strict';
const { tool, key, app, version } = JSON.parse(document.currentScript.dataset.link);
const host = window.parent;
const { port1: port, port2: given } = new MessageChannel();
const waiting = new Map();
const atHost = new Map();
let lastId = 0;
let context = null;
let closing = null;
const toHost = (message) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
const toPanel = (message) => port.postMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
const ask = (method, params, from) => {
  const id = ++lastId;
  if (from !== undefined) atHost.set(from, id);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    toHost({ id, method, params });
  }).finally(() => { waiting.delete(id); atHost.delete(from); });
};
const failure = (message) => Object.assign(new Error(message), { code: ${-32_603} });
const request = async (method, params, from) => {
  const { isError, structuredContent: answer, content } =
    await ask('tools/call', { name: tool, arguments: { key, method, params } }, from);
  if (answer?.error) throw answer.error;
  if (isError || !answer) throw failure(content?.[0]?.text ?? 'The client did not answer.');
  return answer.result;
};
const shown = ({ theme, locale } = {}) => ({ ...(theme && { theme }), ...(locale && { locale }) });
const initialize = async () => {
  const outside = await ask('ui/initialize', {
    protocolVersion: '${PROTOCOL_VERSION}',
    appInfo: { name: app, version },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  });
  // Hosts take no calls before it.
  toHost({ method: 'ui/notifications/initialized', params: {} });
  const inside = await request('ui/initialize', {});
  context = { ...inside.hostContext, ...context, ...shown(outside.hostContext) };
  showView(wanted);
  isStarted = true;
  return { ...inside, hostContext: context };
};
let isStarted = false;
const change = (changes) => {
  context = { ...context, ...changes };
  if (isStarted) toPanel({ method: 'ui/notifications/host-context-changed', params: changes });
};
let wanted;
const showView = (view) => {
  wanted = view;
  const panel = context?.panel;
  if (panel?.views.some(({ id }) => id === view)) change({ panel: { ...panel, view } });
};
const reportSize = () => {
  const root = document.documentElement;
  new ResizeObserver(() => toHost({
    method: 'ui/notifications/size-changed',
    params: { width: Math.ceil(root.scrollWidth), height: Math.ceil(root.getBoundingClientRect().height) },
  })).observe(root);
};
const answer = async ({ id, method, params = {} }) => {
  try {
    const result = method === 'ui/initialize' ? await initialize()
      : method === 'ping' ? {} : await request(method, params, id);
    toPanel({ id, result });
  } catch ({ code = ${-32_603}, message, data }) {
    toPanel({ id, error: { code, message, ...(data && { data }) } });
  }
};
port.onmessage = ({ data }) => {
  if (typeof data !== 'string' || data.length > ${BRIDGE_LIMITS.messageChars}) return;
  const message = JSON.parse(data);
  if (message.method === undefined) return closing?.(message.id);
  if (message.id !== undefined) return void answer(message);
  if (message.method === 'ui/notifications/initialized') reportSize();
  const asked = atHost.get(message.params?.requestId);
  if (message.method === 'notifications/cancelled' && asked !== undefined)
    toHost({ method: message.method, params: { requestId: asked } });
};
const tearDown = (id, { reason } = {}) => {
  const done = () => { closing = null; toHost({ id, result: {} }); };
  closing = done;
  setTimeout(() => closing === done && done(), 900);
  toPanel({ id: 'teardown', method: 'ui/resource-teardown', params: { reason: reason ?? 'closed' } });
};
addEventListener('message', ({ source, data }) => {
  if (source !== host || data?.jsonrpc !== '2.0') return;
  const { id, method, params, result, error } = data;
  const call = method === undefined ? waiting.get(id) : undefined;
  if (error) call?.reject(error);
  else call?.resolve(result ?? {});
  if (method === 'ping') toHost({ id, result: {} });
  if (method === 'ui/resource-teardown') tearDown(id, params);
  if (method === 'ui/notifications/host-context-changed') change(shown(params));
  if (method === 'ui/notifications/tool-input') showView(params?.arguments?.view);
});
const around = {
  postMessage(message) {
    if (message?.method !== '${PORT_REQUEST}') return;
    const event = new MessageEvent('message', { data: { jsonrpc: '2.0', method: '${PORT_GRANT}' }, ports: [given] });
    Object.defineProperty(event, 'source', { value: around });
    dispatchEvent(event);
  },
};
Object.defineProperty(window, 'parent', { value: around });`;

/** In a block: the panel's own scripts see none of its names. */
export const HOST_SCRIPT = `{${SCRIPT}}`;
