import { pagePolicy } from '../policy.ts';
import type { ServedPanel } from '../serve-panel.ts';
import type { HostLink } from './host-script.ts';
import type { PanelDocument } from './panel-document.ts';

/**
 * The first script of a page of a connector, in a host of MCP Apps. The page talks to the host itself; the names of tools and the addresses
 * of resources are those of its server, which the host knows by others: its calls become calls of one tool, with the key of the page, and
 * the addresses in what the host sends it those of the server.
 */
const SCRIPT = `'use strict';
const { tool, key, prefix } = JSON.parse(document.currentScript.dataset.link);
const host = window.parent;
const calls = new Set();
const called = ({ id, params: { name, arguments: args, ...rest } = {}, ...message }) => {
  calls.add(id);
  const inner = { key, method: 'tools/call', params: { name, arguments: args ?? {} } };
  return { ...message, id, params: { ...rest, name: tool, arguments: inner } };
};
const failure = (content) => ({ code: ${-32_603}, message: content?.[0]?.text ?? 'The client did not answer.' });
const answered = ({ result, ...message }) => {
  const { structuredContent: inner, content } = result;
  if (inner?.result) return { ...message, result: inner.result };
  return { ...message, error: inner?.error ?? failure(content) };
};
const own = (uri) => (typeof uri === 'string' && uri.startsWith(prefix) ? uri.slice(prefix.length) : uri);
const block = (one) => ({
  ...one,
  ...(one?.uri !== undefined && { uri: own(one.uri) }),
  ...(one?.resource && { resource: { ...one.resource, uri: own(one.resource.uri) } }),
});
const received = (data) => {
  const { id, method, params, result } = data ?? {};
  if (method === undefined && calls.delete(id) && result) return answered(data);
  if (method !== 'ui/notifications/tool-result' || !Array.isArray(params?.content)) return data;
  return { ...data, params: { ...params, content: params.content.map(block) } };
};
const around = {
  postMessage(message) {
    host.postMessage(message?.method === 'tools/call' ? called(message) : message, '*');
  },
};
addEventListener('message', (event) => {
  if (event.source !== host) return;
  event.stopImmediatePropagation();
  const { origin, ports } = event;
  const again = new MessageEvent('message', { data: received(event.data), origin, ports: [...ports] });
  Object.defineProperty(again, 'source', { value: around });
  dispatchEvent(again);
}, true);
Object.defineProperty(window, 'parent', { value: around });`;

/** Where the first element of a page can be: behind its comments and its document type, without which it would have another layout. */
function startOf(html: string): number {
  let at = 0;
  for (;;) {
    while (/\s/.test(html.charAt(at))) at += 1;
    const isComment = html.startsWith('<!--', at);
    if (!isComment && html.slice(at, at + 9).toLowerCase() !== '<!doctype') return 0;
    const end = isComment ? html.indexOf('-->', at + 2) + 2 : html.indexOf('>', at);
    if (end <= at) return 0;
    at = end + 1;
    if (!isComment) return at;
  }
}

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/**
 * A page of a connector as a document for a host of MCP Apps: as its server gives it, behind the script that connects it, and the policy
 * that it has in the client, whatever the host allows beyond it.
 */
export function pageDocument({ app, page, files, entry }: ServedPanel, link: HostLink): PanelDocument {
  const html = Buffer.from(files.get(entry) ?? []).toString();
  const sources = page ?? { connect: [], resources: [] };
  const data = attribute(JSON.stringify({ ...link, prefix: `${app.appId}+` }));
  const script = `<script data-link="${data}">{${SCRIPT}}</script>`;
  const policy = `<meta http-equiv="content-security-policy" content="${attribute(pagePolicy(sources))}">`;
  const at = startOf(html);
  return {
    html: `${html.slice(0, at)}${script}${policy}${html.slice(at)}`,
    csp: { connectDomains: [...sources.connect], resourceDomains: [...sources.resources] },
  };
}
